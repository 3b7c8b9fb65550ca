"""Transfer actions that only the old laptop recorded to the laptop that took over.

The old laptop sends them when it learns of the takeover. On the laptop that took over, a director decides about each
action.
"""

import io
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Final, TypeVar
from urllib.parse import unquote_to_bytes, urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.messages import get_messages
from django.contrib.sessions.backends.base import SessionBase
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.translation import gettext as _

from tournament.core.cached import disable_persistent_cache
from tournament.core.dispatch import RequestWrites, collect_writes
from tournament.core.middleware import SIGN_IN_LINK_CREATOR_SESSION_KEY
from tournament.core.permissions import Actor, may_direct_installation, require_installation_permission
from tournament.core.selectors.issued import (
    EntryCredentials,
    IssuedReceipt,
    IssuedValues,
    load_issued_values,
    use_issued_values,
)
from tournament.core.services.durable_files import remove_durably, write_durably
from tournament.core.services.record import use_time_for_deadlines, writing
from tournament.errors import Conflict, DomainError
from tournament.models import AuditEntry, Entrant, Movement, Tournament, User
from tournament.second_laptop.selectors import (
    VERBS_BY_DECISION,
    ActionDecision,
    LaptopRole,
    MissingAction,
    RecordedRow,
    RememberedRequest,
    get_missing_actions_file,
    get_replaced_link_file,
    get_requests_file,
    is_sign_in_unknown,
    load_actions_since_change,
    load_decisions_by_action_key,
    lock_requests_file,
    read_link,
    read_missing_actions,
    read_missing_actions_content,
)

# --- On the old laptop -----------------------------------------------------------------------------------------------

RUNNING_REQUESTS_GRACE_S: Final = 2.0
"""Seconds that running requests may still take after this laptop was shut out. Later requests are refused."""


def forget_confirmed_requests(change: int) -> None:
    """Delete the stored requests if the second laptop has confirmed all of their writes.

    `change` is the last confirmed change.
    """
    file = get_requests_file()
    if not file.exists() or not file.stat().st_size:
        return
    with lock_requests_file():
        lines = file.read_text(encoding="utf-8").splitlines()
        if all(_read_change(line) <= change for line in lines):
            os.truncate(file, 0)


def _read_change(line: str) -> int:
    """Return the last change that a stored request made, or 0 if its line is incomplete because of a power failure."""
    try:
        return int(json.loads(line)["change"])
    except (ValueError, TypeError, KeyError):
        return 0


def list_actions_for_other_laptop() -> list[dict[str, Any]]:
    """Return, as JSON, the actions that only this laptop recorded. Return an empty list unless it was shut out."""
    link = read_link()
    if link is None or link.role is not LaptopRole.SHUT_OUT:
        return []
    time.sleep(RUNNING_REQUESTS_GRACE_S)
    with transaction.atomic():  # so that the state of each card is computed only once
        return [act.as_json() for act in load_actions_since_change(link.change)]


# --- On the laptop that took over ------------------------------------------------------------------------------------


def save_missing_actions(received: list[Mapping[str, Any]]) -> None:
    """Store the actions that the old laptop sent.

    Actions from an earlier takeover are kept, and no action is stored twice.
    """
    acts = {act.key: act for act in (*read_missing_actions(), *map(MissingAction.from_json, received))}
    if acts:
        write_durably(get_missing_actions_file(), json.dumps([act.as_json() for act in acts.values()]))


def mirror_missing_actions(content: str) -> None:
    """Copy the first laptop's list of missing actions to this second laptop, which may have to take over.

    "" means that the first laptop has no list anymore.
    """
    if content == read_missing_actions_content():
        return
    if content:
        write_durably(get_missing_actions_file(), content)
    else:
        remove_durably(get_missing_actions_file())


def add_missing_action(
    act: MissingAction, tournament: Tournament, *, by: Actor, site: HttpRequest
) -> tuple[ActionDecision, list[str]]:
    """Repeat a request that only the old laptop received, and log that its action was added to this laptop.

    The request is sent as it arrived, but to the address of this laptop, which comes from the director's own request
    (`site`). It has the cookies of the person who sent it, so the program checks what that person may do. Deadlines are
    judged by the original time of the action.

    Everything is rolled back unless this laptop records everything that the old laptop recorded. For example, an entry
    that was made on this laptop in the meantime may have the same number, or a draw may have another result.

    If possible, entries and receipts keep the numbers, links, and codes that people already have. Return the decision,
    and a sentence for each of these values that could not be kept.

    Raises:
        DomainError: `not-added`: this laptop did not accept the request, or would have recorded something else.
        Conflict: `already-decided`.
        NotAllowed: `not-allowed`: only an administrator may add an action of this person.
    """
    assert act.request is not None
    with transaction.atomic(), disable_persistent_cache(), translation.override(translation.get_language()):
        _require_undecided(act)
        request = _make_request(act.request, site)
        session = _sign_in_again(act, request, tournament, by)
        with (
            collect_writes() as writes,
            use_time_for_deadlines(act.at),
            use_issued_values(act.issued, _list_reserved(act)),
        ):
            response = _Handler.make().get_response(request)
        if session is not None:
            session.delete()
        entries = AuditEntry.objects.filter(pk__in=writes.log_entries)
        if not entries and not _has_it_already(response, writes):
            raise _NotAdded(act, _find_refusal(act, request, response, writes))
        issued = load_issued_values(entries)
        renumbered = {str(old): str(new) for old, new in _pair_entries(act, issued) if new is not None}
        expected = [replace(row, about=renumbered.get(row.about, row.about)) for row in act.rows]
        recorded = [RecordedRow.from_entry(entry) for entry in entries]
        if entries and any(row not in recorded for row in expected):
            raise _NotAdded(act, _describe_difference(expected, recorded))
        decision = ActionDecision.ADDED if entries else ActionDecision.FOUND
        with translation.override(settings.LANGUAGE_CODE):
            sign_in = [_("%(name)s signed in only on the old laptop.") % {"name": act.by}] if session else []
            reason = " ".join([*sign_in, *_describe_replaced_values(act, issued, tournament)])
        _log_decision(act, tournament, decision, by, reason)
        replaced = _describe_replaced_values(act, issued, tournament)
    forget_decided_actions()
    return decision, replaced


_DRAW_VALUES: Final = frozenset({"commitment", "order", "entries"})


def _describe_difference(expected: Sequence[RecordedRow], recorded: Sequence[RecordedRow]) -> str:
    is_same_otherwise = all(any(replace(row, drawn=each.drawn) == each for each in recorded) for row in expected)
    if is_same_otherwise and any(_DRAW_VALUES & row.drawn.keys() for row in expected):
        return _("This laptop would draw something else. Make the draw again here, from the seal to the cut.")
    return _("On this laptop, it would record something else. Enter it by hand.")


class _NotAdded(DomainError):
    def __init__(self, act: MissingAction, reason: str) -> None:
        words = {"what": act.describe(), "reason": reason}
        super().__init__("not-added", _("Not added: %(what)s. %(reason)s") % words)


def log_missing_action_decision(
    act: MissingAction, tournament: Tournament, decision: ActionDecision, *, by: Actor
) -> None:
    """Log that the action was left out or entered by hand.

    `tournament` is the action's tournament. If that tournament is not on this laptop, it is the director's tournament.

    Raises:
        Conflict: `already-decided`.
    """
    with transaction.atomic():
        _require_undecided(act)
        _log_decision(act, tournament, decision, by)
    forget_decided_actions()


def forget_decided_actions() -> None:
    """After the last decision, delete the file with the actions and their requests. The log contains the decisions."""
    decided = load_decisions_by_action_key()
    if read_link(get_replaced_link_file()) is None and all(act.key in decided for act in read_missing_actions()):
        get_missing_actions_file().unlink(missing_ok=True)


def _require_undecided(act: MissingAction) -> None:
    """Raise Conflict if somebody has already decided.

    With SQLite, nobody else can decide until the transaction ends.
    """
    if (earlier := load_decisions_by_action_key().get(act.key)) is not None:
        message = _("%(name)s has already decided this. The log shows the decision.") % {"name": earlier.by_name}
        raise Conflict("already-decided", message)


def _log_decision(
    act: MissingAction, tournament: Tournament, decision: ActionDecision, by: Actor, reason: str = ""
) -> None:
    with translation.override(settings.LANGUAGE_CODE):
        described = act.describe()
    with writing(tournament, verb=VERBS_BY_DECISION[decision], by=by, reason=reason) as write:
        write.about(described, act=act.key, recorded_at=act.at.isoformat(), recorded_by=act.by)


# --- Carry out a request again ----------------------------------------------------------------------------------------


class _Handler(BaseHandler):
    """Handles requests with all middleware, but without a server."""

    @classmethod
    def make(cls) -> "_Handler":
        handler = cls()
        handler.load_middleware()
        return handler


def _make_request(kept: RememberedRequest, site: HttpRequest) -> WSGIRequest:
    """Return the stored request, sent to this laptop's address. It asks for JSON, so that refusals can be parsed."""
    path, body = urlsplit(kept.path), kept.body.encode()
    taken = ("HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "REMOTE_ADDR", "HTTP_ACCEPT_LANGUAGE")
    request = WSGIRequest(
        {
            **{name: site.META[name] for name in taken if name in site.META},
            **kept.headers,
            "REQUEST_METHOD": kept.method,
            "PATH_INFO": unquote_to_bytes(path.path).decode("latin-1"),
            "QUERY_STRING": path.query,
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_ACCEPT": "application/json",
            "wsgi.url_scheme": site.scheme,
            "wsgi.input": io.BytesIO(body),
        }
    )
    request.COOKIES.pop("messages", None)  # these belong to an earlier page
    vars(request)["_dont_enforce_csrf_checks"] = True  # the old laptop has already checked it
    return request


def _has_it_already(response: HttpResponseBase, writes: RequestWrites) -> bool:
    """Return whether the request was accepted but wrote nothing, because the action is already recorded here."""
    return response.status_code < 400 and (writes.is_repeated or bool(_read_json(response).get("ok")))


def _read_json(response: HttpResponseBase) -> Mapping[str, Any]:
    """Return the JSON object in the response, or {} if the response is something else, such as a page."""
    content = json.loads(response.content) if isinstance(response, JsonResponse) else {}
    return content if isinstance(content, dict) else {}


def _find_refusal(act: MissingAction, request: HttpRequest, response: HttpResponseBase, writes: RequestWrites) -> str:
    """Return a sentence that explains why the request recorded nothing."""
    content = _read_json(response)
    for problem in (*content.get("errors", ()), content):
        if problem.get("code") in ("signed-out", "not-allowed") and (hint := _describe_missing_grant(act)):
            return hint
        if problem.get("code") == "signed-out":
            return _("%(name)s signed in only on the old laptop. Enter it by hand.") % {"name": act.by}
        if message := problem.get("message"):
            return str(message)
    if writes.refusal:
        return writes.refusal
    errors = [str(each) for each in get_messages(request) if each.level >= messages.ERROR]
    return errors[-1] if errors else _("This laptop did not accept the form. Enter it by hand.")


# --- Members of staff who signed in only on the old laptop ------------------------------------------------------------


def _sign_in_again(act: MissingAction, request: HttpRequest, tournament: Tournament, by: Actor) -> SessionBase | None:
    """Sign in the member of staff who sent the request, if only the old laptop knows their session.

    Return the new session, or None if none is needed. The caller deletes it in the same transaction.

    Only the old laptop has checked the identity of this person. On this laptop, the director (`by`) confirms it by
    adding the action. The request must therefore be for a desk page of the director's tournament, and the person's
    account must exist here. The account's own role decides whether the request is allowed.

    Raises:
        DomainError: `not-added`: this laptop does not have the account.
        NotAllowed: `not-allowed`: the account may direct all tournaments, but the director may not.
    """
    if not is_sign_in_unknown(act) or not request.path.startswith(f"/desk/{tournament.slug}/"):
        return None
    user = User.objects.filter(email=act.account, is_active=True).first()
    if user is None:
        words = {"name": act.by, "email": act.account}
        unknown = _("This laptop does not know %(name)s. On the page “Staff”, give %(email)s a role, then add this.")
        raise _NotAdded(act, _describe_missing_grant(act) or unknown % words)
    if may_direct_installation(user):
        require_installation_permission(by)
    session: SessionBase = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    if act.link is not None:
        session[SIGN_IN_LINK_CREATOR_SESSION_KEY] = dict(act.link)
    session.create()
    request.COOKIES[settings.SESSION_COOKIE_NAME] = str(session.session_key)
    return session


def _describe_missing_grant(act: MissingAction) -> str:
    """Return a sentence that tells the director to add another action first, or "" if that is not needed.

    It is needed if the person who acted got a role only on the old laptop. The other action is the one that granted
    this role.
    """
    grants = (each for each in _list_other_undecided(act) if each.granted_to and each.granted_to == act.account)
    grant = next((each for each in grants if each.request is not None), None)
    if grant is None:
        return ""
    words = {"name": act.by, "what": grant.describe()}
    return _("%(name)s got a role only on the old laptop. First add “%(what)s”, then add this.") % words


def _list_other_undecided(act: MissingAction) -> list[MissingAction]:
    """Return the other actions of the same tournament that still need a director's decision."""
    decided = load_decisions_by_action_key()
    others = (each for each in read_missing_actions() if each.key != act.key and each.key not in decided)
    return [each for each in others if each.tournament == act.tournament]


# --- Numbers, links, and codes that people already have ---------------------------------------------------------------


def _list_reserved(act: MissingAction) -> list[IssuedValues]:
    return [each.issued for each in _list_other_undecided(act)]


_Issued = TypeVar("_Issued", EntryCredentials, IssuedReceipt)


def _pair(
    old: Iterable[_Issued], new: Iterable[_Issued], key: Callable[[_Issued], object]
) -> Iterator[tuple[_Issued, _Issued | None]]:
    """Yield each old value with the new one that replaces it, or None."""
    left = list(new)
    for each in old:
        match = next((one for one in left if key(one) == key(each)), None)
        if match is not None:
            left.remove(match)
        yield each, match


def _pair_entries(
    act: MissingAction, issued: IssuedValues
) -> Iterator[tuple[EntryCredentials, EntryCredentials | None]]:
    return _pair(act.issued.entries, issued.entries, lambda entry: (entry.event, entry.name))


def _describe_replaced_values(act: MissingAction, issued: IssuedValues, tournament: Tournament) -> list[str]:
    """For each value from the old laptop that could not be kept here, return a sentence that says what to do."""
    sentences = []
    for old, new in _pair_entries(act, issued):
        if not _has_link(tournament, old, new):
            message = _(
                "The private link that %(name)s got on the old laptop does not work here. Open “Private links”, and "
                "print a new slip."
            )
            sentences.append(message % {"name": old.name})
        if new is not None and new.number != old.number:
            message = _(
                "%(name)s had number %(old)s on the old laptop, which another entry has here. Tell them their new "
                "number: %(new)s."
            )
            sentences.append(message % {"name": old.name, "old": old.number, "new": new.number})
    receipts = _pair(act.issued.receipts, issued.receipts, lambda receipt: (receipt.event, receipt.kind))
    for old_receipt, receipt in receipts:
        if not old_receipt.is_on_paper or _has_receipt(tournament, old_receipt, receipt):
            continue
        message = _("Receipt %(old)s from the old laptop has another number here. Print it again, and swap the papers.")
        if receipt is not None:
            message = _("Receipt %(old)s has the number %(new)s here. Print it again, and swap the papers.")
        sentences.append(message % {"old": old_receipt.printed, "new": receipt.printed if receipt is not None else ""})
    return sentences


def _has_link(tournament: Tournament, old: EntryCredentials, new: EntryCredentials | None) -> bool:
    """Return whether an entry has the same private link on this laptop as on the old one (`old`).

    `new` is the entry that was made by repeating the action. It is None if the action was already recorded here. In
    this case, the entry is found by its link and name.
    """
    if new is not None:
        return new.token == old.token
    return Entrant.objects.filter(event__tournament=tournament, token=old.token, name=old.name).exists()


def _has_receipt(tournament: Tournament, old: IssuedReceipt, new: IssuedReceipt | None) -> bool:
    """Return whether a receipt has the same number on this laptop as on the old one (`old`).

    `new` is the receipt that was made by repeating the action. It is None if the action was already recorded here. In
    this case, the receipt is found by its number and kind.
    """
    if new is not None:
        return new.printed == old.printed
    same = Movement.objects.filter(tournament=tournament, number=old.number, kind=old.kind)
    return any(movement.receipt == old.printed for movement in same)
