"""Transfer actions that only the old laptop recorded to the laptop that took over.

The old laptop sends them when it learns of the takeover. On the laptop that took over, a director decides about each
action.
"""

import fcntl
import io
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote_to_bytes, urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.messages import get_messages
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.translation import gettext as _

from tournament.core.cached import disable_persistent_cache
from tournament.core.dispatch import RequestWrites, collect_writes
from tournament.core.permissions import Actor
from tournament.core.services.durable_files import remove_durably, write_durably
from tournament.core.services.record import judging_deadlines_at, writing
from tournament.errors import Conflict, DomainError
from tournament.models import AuditEntry, Tournament
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
    load_actions_since_change,
    load_decided_actions,
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
    handle = os.open(file, os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        lines = file.read_text().splitlines()
        if all(_read_change(line) <= change for line in lines):
            os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _read_change(line: str) -> int:
    """Return the last change that a kept request made, or 0 if its line is incomplete because of a power failure."""
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

    Add them to those of an earlier takeover, and store none of them twice.
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


def add_missing_action(act: MissingAction, tournament: Tournament, *, by: Actor, site: HttpRequest) -> ActionDecision:
    """Repeat the action's request exactly as it arrived on the old laptop, and log that the action was added.

    The request has the cookies of the person who sent it, so the program checks what that person may do. Everything
    is rolled back unless it records the same as on the old laptop, and perhaps more. For example, an entry that was
    made on this laptop in the meantime may have the same number, or a draw may have another result. Deadlines are
    judged by the time of the act. `site` is the director's request, which has this laptop's address.

    Raises:
        DomainError: `not-added`: this laptop did not accept the request, or would have recorded something else.
        Conflict: `already-decided`.
    """
    assert act.request is not None
    with transaction.atomic(), disable_persistent_cache(), translation.override(translation.get_language()):
        _require_undecided(act)
        with collect_writes() as writes, judging_deadlines_at(act.at):
            request = _make_request(act.request, site)
            response = _Handler.make().get_response(request)
        entries = AuditEntry.objects.filter(pk__in=writes.log_entries)
        if not entries and not _has_it_already(response, writes):
            raise _NotAdded(act, _find_refusal(act, request, response, writes))
        recorded = [RecordedRow.from_entry(entry) for entry in entries]
        if entries and any(row not in recorded for row in act.rows):
            raise _NotAdded(act, _describe_difference(act, recorded))
        decision = ActionDecision.ADDED if entries else ActionDecision.FOUND
        _log_decision(act, tournament, decision, by)
    forget_decided_actions()
    return decision


_DRAW_VALUES: Final = frozenset({"commitment", "order", "entries"})


def _describe_difference(act: MissingAction, recorded: Sequence[RecordedRow]) -> str:
    is_same_otherwise = all(any(replace(row, drawn=each.drawn) == each for each in recorded) for row in act.rows)
    if is_same_otherwise and any(_DRAW_VALUES & row.drawn.keys() for row in act.rows):
        return _("This laptop would draw something else. Make the draw again here, from the seal to the cut.")
    return _("On this laptop, it would record something else. Enter it by hand.")


class _NotAdded(DomainError):
    def __init__(self, act: MissingAction, reason: str) -> None:
        words = {"what": act.describe(), "reason": reason}
        super().__init__("not-added", _("Not added: %(what)s. %(reason)s") % words)


def settle_missing_action(act: MissingAction, tournament: Tournament, decision: ActionDecision, *, by: Actor) -> None:
    """Log that the action was left out or entered by hand.

    `tournament` is the action's tournament, or the director's if the action has none on this laptop.

    Raises:
        Conflict: `already-decided`.
    """
    with transaction.atomic():
        _require_undecided(act)
        _log_decision(act, tournament, decision, by)
    forget_decided_actions()


def forget_decided_actions() -> None:
    """After the last decision, delete the file with the actions and their requests. The log contains the decisions."""
    decided = load_decided_actions()
    if read_link(get_replaced_link_file()) is None and all(act.key in decided for act in read_missing_actions()):
        get_missing_actions_file().unlink(missing_ok=True)


def _require_undecided(act: MissingAction) -> None:
    """Raise Conflict if somebody has already decided.

    With SQLite, nobody else can decide until the transaction ends.
    """
    if (earlier := load_decided_actions().get(act.key)) is not None:
        message = _("%(name)s has already decided this. The log shows the decision.") % {"name": earlier.by_name}
        raise Conflict("already-decided", message)


def _log_decision(act: MissingAction, tournament: Tournament, decision: ActionDecision, by: Actor) -> None:
    with translation.override(settings.LANGUAGE_CODE):
        described = act.describe()
    with writing(tournament, verb=VERBS_BY_DECISION[decision], by=by) as write:
        write.about(described, act=act.key, recorded_at=act.at.isoformat(), recorded_by=act.by)


class _Handler(BaseHandler):
    """Handles requests with all middleware, but without a server."""

    @classmethod
    def make(cls) -> "_Handler":
        handler = cls()
        handler.load_middleware()
        return handler


def _make_request(kept: RememberedRequest, site: HttpRequest) -> WSGIRequest:
    """Return the kept request, but for the address of this laptop. It asks for JSON, so that refusals can be parsed."""
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
        if problem.get("code") == "signed-out":
            return _("%(name)s signed in only on the old laptop. Enter it by hand.") % {"name": act.by}
        if message := problem.get("message"):
            return str(message)
    if writes.refusal:
        return writes.refusal
    errors = [str(each) for each in get_messages(request) if each.level >= messages.ERROR]
    return errors[-1] if errors else _("This laptop did not accept the form. Enter it by hand.")
