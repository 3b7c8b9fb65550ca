"""The JSON API of a card: read it, enter and confirm hands, sign it, and receive hands from phones that were offline.

See docs/running/cards.md and docs/running/phones.md.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, JsonResponse, QueryDict
from django.http.request import RawPostDataException
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_POST

from scoring.card_state.selectors.cards import load_card_state_by_pk, load_card_state_by_token
from scoring.card_state.selectors.players import load_match_players
from scoring.card_state.selectors.state import CardState, capitalize_first_letter, get_state_before_hand
from scoring.card_state.tables import describe_line
from scoring.cards.forms import PhoneLineForm
from scoring.cards.selectors.checks import CardChecks, load_card_checks, make_canonical_line
from scoring.cards.services.checks import (
    DisplayedHand,
    TurnedUpCard,
    accept_hand_check_figures,
    confirm_hand,
    dispute_hand,
    record_up_card,
    settle_hand_as_written,
)
from scoring.cards.services.hands import (
    BadLine,
    LineEntry,
    add_line,
    correct_line,
    preview_line,
    record_scorekeeper,
    record_table_draw,
)
from scoring.cards.services.offline import OfflineHand, add_offline_hand, find_recorded_line, require_valid_hand_hmac
from scoring.cards.services.signing import SigningContext, sign_by_code, sign_on_paper, sign_with_strokes
from scoring.models import SIDE_LETTERS, SheetLine
from scoring.posting.selectors.card_status import load_card_status
from scoring.posting.tables import make_status_json
from tournament.cases import FieldReader, ProblemCollector, parse_json_object, read_object, read_unchecked_list
from tournament.core.pages.access import get_staff_actor
from tournament.core.permissions import Actor, make_player_actor, require_permission
from tournament.core.selectors.events import load_entrant
from tournament.errors import DomainError, InputProblem, InvalidInput, NotAllowed, NotFound
from tournament.models import Entrant, Event

_MAX_BODY_SIZE = 400_000
JsonView = Callable[..., JsonResponse]


def _answer_errors_as_json(answer: JsonView) -> JsonView:
    """Decorate a view so that every error it raises becomes {"ok": false, "errors": [{code, path, message}]}."""

    @wraps(answer)
    def refusing(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        try:
            return answer(request, *args, **kwargs)
        except BadLine as error:
            return _make_refusal_response(error.data["problems"], error.http_status)
        except InvalidInput as error:
            return _make_refusal_response(error.problems, 422)
        except DomainError as error:
            return _make_refusal_response([InputProblem(error.code, "", error.message)], error.http_status)

    protected = csrf_protect(refusing)

    @wraps(answer)
    def by_token_or_session(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        by_session = request.user.is_authenticated and not _read_bearer_token(request)
        # Without a session there is no CSRF check, so a stranger gets the refusal as JSON.
        checked = protected if by_session else refusing
        return checked(request, *args, **kwargs)

    return cast(JsonView, csrf_exempt(by_token_or_session))


@require_GET
@_answer_errors_as_json
def serve_card_json(request: HttpRequest, token: str) -> JsonResponse:
    """Return the data of the card's public page.

    A card of a draft event requires an entrant's token or a staff account.
    """
    state = load_card_state_by_token(token)
    if state.card.match.event.state == Event.State.DRAFT:
        _require_actor(request)
    return JsonResponse(_make_card_json(state))


@require_POST
@_answer_errors_as_json
def receive_line(request: HttpRequest, token: str) -> JsonResponse:
    """Add a hand, correct one, or strike one out.

    `{"line": {…}, "hand": 7, "override": "…"}` adds a hand. A request with `"replaces": 7` and a `"reason"` corrects
    hand 7, or strikes it out if `line` is null. If the phone was offline during the draw before play, the first hand
    also carries the result of the draw, as `"drawn": ["B", "C", "A"]`.
    """
    actor, key = _require_actor(request), _require_key(request)
    sent = _read_line_request(request)
    state = load_card_state_by_token(token)
    if sent["replaces"] is None:
        if sent["line"] is None:
            raise DomainError("missing-field", _("“line” is missing."))
        after = add_line(state.card, _make_line_entry(sent, key), by=actor)
    else:
        entry = None if sent["line"] is None else _make_line_entry(sent, key)
        after = correct_line(state.card, sent["replaces"], entry, by=actor, reason=sent["reason"], key=key)
    return JsonResponse(_make_card_json(after), status=201)


@require_POST
@_answer_errors_as_json
def receive_draw(request: HttpRequest, token: str) -> JsonResponse:
    """Record who keeps score, or the result of the draw before play.

    `{"order": ["B", "C", "A"], "reason": "…"}` lists the sides in the order of the positions in the card's `draw`. If
    there are several positions, the last can be left out. `{"keeper": 4}` names the scorekeeper by entry number, for a
    card on which the draw does not decide who keeps score.
    """
    actor, key = _require_actor(request), _require_key(request)
    with _read_fields(request) as fields:
        order: list[Any] = fields.read("order", read_unchecked_list, []) or []
        keeper = fields.integer("keeper", minimum=1, default=None)
        reason = fields.text("reason", empty=True, default="")
    if bool(order) == (keeper is not None):
        raise DomainError("missing-field", _("Send either “order” or “keeper”."))
    state = load_card_state_by_token(token)
    if keeper is not None:
        state = record_scorekeeper(state.card, _find_player(state, keeper), by=actor, key=key)
    else:
        state = record_table_draw(state.card, order, by=actor, reason=str(reason), key=key)
    return JsonResponse(_make_card_json(state), status=201)


@require_POST
@_answer_errors_as_json
def receive_signature(request: HttpRequest, token: str) -> JsonResponse:
    """Sign the card.

    An entrant sends `{"digest": "…"}` with `"code"` or `"strokes"`. The desk sends the digest with `"entrant"` and
    `"witness"`. For a team, it sends the side's letter as `"side"` instead of `"entrant"`.
    """
    actor, key = _require_actor(request), _require_key(request)
    with _read_fields(request) as fields:
        sent = {
            "digest": fields.text("digest"),
            "code": fields.text("code", default=""),
            "strokes": fields.read("strokes", read_unchecked_list, []),
            "entrant": fields.integer("entrant", minimum=1, default=None),
            "witness": fields.text("witness", empty=True, default=""),
            "side": fields.choice("side", SIDE_LETTERS, default=""),
        }
    state = load_card_state_by_token(token)
    shown = SigningContext(sent["digest"], device=request.headers.get("User-Agent", ""), key=key, side=sent["side"])
    return JsonResponse(_make_card_json(_sign_as_sender(state, sent, shown, actor)), status=201)


def _make_card_json(state: CardState) -> dict[str, Any]:
    return {
        "ok": True,
        "card": json.loads(state.content.as_bytes()),
        "digest": state.digest,
        "state": state.state,
        "draw": {
            **state.draw.table_draw.as_json(),
            "order": list(state.draw.recorded_order),
            "open": state.draw.is_draw_missing,
        },
        "tally": state.score.tally.as_json(),
        "signed": sorted(side.number for side in state.sides if side.has_signed and side.number is not None),
        "missing": [side.number for side in state.sides if not side.has_signed and side.number is not None],
        "signed_sides": list(state.signatures.signed_side_letters),
        "missing_sides": [side for side, _name in state.signatures.missing_signers],
        "posted": state.is_posted,
        "statement": make_status_json(load_card_status(state)),
    }


def _make_line_entry(sent: dict[str, Any], key: str) -> LineEntry:
    drawn = tuple(str(side) for side in sent["drawn"])
    return LineEntry(sent["line"], SheetLine.Via.API, key, sent["hand"], sent["override"], drawn=drawn)


def _read_line_request(request: HttpRequest) -> dict[str, Any]:
    with _read_fields(request) as fields:
        return {
            "line": fields.read("line", lambda line, at, found: None if line is None else read_object(line, at, found)),
            "hand": fields.integer("hand", minimum=1, default=None),
            "replaces": fields.integer("replaces", minimum=1, default=None),
            "override": fields.text("override", empty=True, default=""),
            "reason": fields.text("reason", empty=True, default=""),
            "drawn": fields.read("drawn", read_unchecked_list, []),
        }


def _sign_as_sender(state: CardState, sent: dict[str, Any], shown: SigningContext, actor: Actor) -> CardState:
    if actor.entrant is None:
        require_permission(actor, "desk", state.card.match.event.tournament)
        return sign_on_paper(state.card, _find_side(state, sent), sent["witness"], shown, by=actor)
    if sent["code"]:
        return sign_by_code(state.card, sent["code"], shown, by=actor)
    return sign_with_strokes(state.card, sent["strokes"], shown, by=actor)


def _find_player(state: CardState, number: int) -> Entrant:
    found = next((who for who in load_match_players(state.card.match) if who.number == number), None)
    if found is None:
        raise DomainError("not-a-player", _("“keeper” is the number of one of the players of this card."))
    return found


def _find_side(state: CardState, sent: dict[str, Any]) -> str:
    """Return the letter of the side that signed on paper, given an entrant's number or a letter."""
    if sent["entrant"] is None and sent["side"]:
        return str(sent["side"])
    numbered = {side.number: side.seat.side for side in state.sides if side.number is not None}
    if sent["entrant"] in numbered:
        return numbered[sent["entrant"]]
    raise DomainError("not-a-player", _("“entrant” is the number of one of the players of this card."))


# --- Up cards and checks of the other player's hands -----------------------------------------------------------------


@require_POST
@_answer_errors_as_json
def receive_up_card(request: HttpRequest, token: str) -> JsonResponse:
    """Record an up card.

    The body is `{"hand": 3, "up": "8H", "turned_at": "2026-11-27T14:03:00Z"}`. Without `turned_at`, the card was turned
    just now.
    """
    actor, key = _require_actor(request), _require_key(request)
    with _read_fields(request) as fields:
        hand = fields.integer("hand", minimum=1)
        up, turned_at = fields.text("up"), fields.text("turned_at", default="")
    card = load_card_state_by_token(token).card
    record_up_card(card, TurnedUpCard(hand, up, _read_time(turned_at), key), by=actor)
    return _make_checks_response(load_card_checks(load_card_state_by_pk(card.pk)))


@require_POST
@_answer_errors_as_json
def receive_hand_check(request: HttpRequest, token: str) -> JsonResponse:
    """Confirm or dispute a hand that somebody else entered.

    `{"hand": 3, "line": 71}` confirms hand 3 as recorded in line 71. Adding `"own": {…}` disputes the hand with the
    player's own figures. `{"take": 12}` corrects the hand to the figures of check 12, as numbered in the response. The
    desk sends the hand and line with a `"reason"`, to keep the hand as written.
    """
    actor, key = _require_actor(request), _require_key(request)
    with _read_fields(request) as fields:
        sent = {
            "hand": fields.integer("hand", minimum=1, default=None),
            "line": fields.integer("line", minimum=1, default=None),
            "own": fields.read("own", read_object, None),
            "take": fields.integer("take", minimum=1, default=None),
            "reason": fields.text("reason", empty=True, default=""),
        }
    card = load_card_state_by_token(token).card
    if sent["take"] is not None:
        return _make_checks_response(accept_hand_check_figures(card, sent["take"], by=actor, key=key))
    seen = DisplayedHand(sent["hand"] or 0, sent["line"] or 0, key)
    if actor.entrant is None:
        return _make_checks_response(settle_hand_as_written(card, seen, by=actor, reason=sent["reason"]))
    if sent["own"] is not None:
        return _make_checks_response(dispute_hand(card, seen, sent["own"], by=actor))
    return _make_checks_response(confirm_hand(card, seen, by=actor))


def _read_time(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if text and (moment is None or moment.tzinfo is None):
        raise DomainError(
            "bad-value", _("“turned_at” is a moment with its time zone, for example 2026-11-27T14:03:00Z.")
        )
    return moment


def _make_checks_response(checks: CardChecks) -> JsonResponse:
    """Return the card's data with each hand's checks, and all up cards with the people who recorded them."""
    hands = [
        {
            "hand": checked.hand,
            "line": checked.line.pk,
            "state": "different" if checked.is_disputed else "confirmed" if checked.is_confirmed else "open",
            "against": [{"check": check.pk, "by": check.by_name, "own": check.own} for check in checked.against],
        }
        for checked in checks.hands
    ]
    ups = [
        {"hand": hand, "up": up.up, "by": up.by_name, "turned_at": up.turned_at.isoformat(), "at": up.at.isoformat()}
        for hand in sorted(checks.up_cards)
        for up in checks.up_cards[hand]
    ]
    return JsonResponse({**_make_card_json(checks.state), "hands": hands, "up_cards": ups}, status=201)


# --- Hands that a phone kept without a network -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _DeliveredHand:
    """A hand delivered from an offline phone, with its card, its player, and the validated form."""

    state: CardState
    entrant: Entrant
    hand: OfflineHand
    form: PhoneLineForm

    def make_line(self) -> dict[str, Any]:
        if not self.form.is_valid():
            raise DomainError(
                "not-a-hand", _("This hand is not for this score card. Open the score card again and enter it.")
            )
        return self.form.make_line()


def _answer_offline_errors_as_json(answer: JsonView) -> JsonView:
    """Decorate a function of (request, sent) so that its errors become {"ok": false, "code", "message"}."""

    @wraps(answer)
    def refusing(request: HttpRequest, token: str) -> JsonResponse:
        try:
            return answer(request, _read_delivered_hand(request, token))
        except InvalidInput as error:
            return JsonResponse({"ok": False, "code": "bad-case", "message": str(error)}, status=422)
        except DomainError as error:
            refused = {"ok": False, "code": error.code, "message": error.message}
            if isinstance(error, BadLine):
                refused["impossible"] = True
            return JsonResponse(refused, status=error.http_status)

    return cast(JsonView, csrf_exempt(require_POST(refusing)))


@_answer_offline_errors_as_json
def receive_offline_hand(request: HttpRequest, sent: _DeliveredHand) -> JsonResponse:
    """Record a hand from an offline phone.

    The body is `{"entrant", "key", "hand", "typed_at", "fields", "proof"}`. It also has `"carried_by"` if another
    person delivers the hand. The status is 201 if the hand is now on the card, even if an earlier request recorded it.
    The status is 409 `hand-taken` if the card has a different hand with this number, or lacks the hand before it. The
    response then contains both hands, as `on_card` and `typed`. If the figures are impossible, the error has the key
    `impossible`. The header `X-Tell` makes the next page show a success message.
    """
    try:
        line = sent.make_line()
        entry = LineEntry(line, override=sent.form.cleaned_data["override"], drawn=sent.form.drawn_sides)
        after = add_offline_hand(sent.state, sent.entrant, sent.hand, entry)
    except DomainError as error:
        if error.code != "hand-taken":
            raise
        return _make_hand_taken_response(sent, error)
    message = _("%s is recorded.") % capitalize_first_letter(after.name_line(sent.hand.hand))
    if request.headers.get("X-Tell"):
        messages.success(request, message)
    return JsonResponse({"ok": True, "hands": len(after.lines), "said": message}, status=201)


@_answer_offline_errors_as_json
def preview_offline_hand(request: HttpRequest, sent: _DeliveredHand) -> JsonResponse:
    """Describe an offline phone's hand before it is delivered, and report whether it can be recorded."""
    require_valid_hand_hmac(sent.state.card, sent.entrant, sent.hand)
    line, refused = sent.make_line(), ""
    on_card = find_recorded_line(sent.state, sent.hand.hand)
    if on_card is None:
        try:
            preview_line(sent.state, line)
        except BadLine as error:
            refused = error.message
    same = on_card is not None and _is_same_hand(sent, line, on_card)
    card = sent.state.card
    shown = {
        "player": sent.entrant.name,
        "card": _("%(names)s, game %(game)s") % {"names": sent.state.title, "game": card.game},
        "event": card.match.event.name,
        "typed": describe_line(sent.state, line),
        "stands": "same" if same else "taken" if on_card is not None else "new",
        "on_card": describe_line(sent.state, on_card) if on_card is not None else "",
    }
    return JsonResponse({"ok": True, **shown, "refused": refused})


def _make_hand_taken_response(sent: _DeliveredHand, error: DomainError) -> JsonResponse:
    """Return a 409 response with the hand on the card and the delivered hand.

    If both hands are the same, return a success response instead.
    """
    # Somebody may have written on the card since it was read.
    sent = replace(sent, state=load_card_state_by_token(sent.state.card.token))
    line, on_card = sent.make_line(), find_recorded_line(sent.state, sent.hand.hand)
    hands = len(sent.state.lines)
    if on_card is not None and _is_same_hand(sent, line, on_card):
        message = _("%s was on the score card already, with the same score.") % capitalize_first_letter(
            sent.state.name_line(sent.hand.hand)
        )
        return JsonResponse({"ok": True, "hands": hands, "said": message, "was_there": True})
    words = describe_line(sent.state, on_card) if on_card is not None else ""
    answer = {"ok": False, "code": error.code, "message": error.message, "hands": hands}
    return JsonResponse({**answer, "typed": describe_line(sent.state, line), "on_card": words}, status=409)


def _is_same_hand(sent: _DeliveredHand, line: dict[str, Any], on_card: dict[str, Any]) -> bool:
    hand = sent.hand.hand
    return bool(make_canonical_line(sent.state, hand, line) == make_canonical_line(sent.state, hand, on_card))


def _read_delivered_hand(request: HttpRequest, token: str) -> _DeliveredHand:
    if request.content_type != "application/json":
        raise DomainError("not-json", _("Send JSON."))
    with _read_fields(request) as fields:
        number = fields.integer("entrant", minimum=1)
        hand = OfflineHand(
            key=fields.text("key"),
            hand=fields.integer("hand", minimum=1),
            typed_at=fields.integer("typed_at", minimum=0),
            fields=fields.text("fields"),
            proof=fields.text("proof"),
            carried_by=_find_carrier_name(request, fields.text("carried_by", empty=True, default="")),
        )
    state = load_card_state_by_token(token)
    form = PhoneLineForm(QueryDict(hand.fields), state=get_state_before_hand(state, str(hand.hand)))
    return _DeliveredHand(state, _find_entrant(state, number), hand, form)


def _find_carrier_name(request: HttpRequest, named: str) -> str:
    """Return the name of the person who delivers the hand, or "" if `named` is empty.

    For a signed-in user, this is the name of their account. For anybody else, it is the name that they typed, in
    quotation marks.
    """
    if not named:
        return ""
    if request.user.is_authenticated:
        return str(request.user)
    return _("“%s”") % named.strip()[:80]


def _find_entrant(state: CardState, number: int) -> Entrant:
    seated = [seat.entrant for seat in state.seats if seat.entrant is not None]
    found = next((who for who in (*seated, *load_match_players(state.card.match)) if who.number == number), None)
    if found is None:
        raise NotFound("no-entrant", _("Nobody with this number is on this score card. Look at the entry numbers."))
    return found


# --- Requests and refusals as JSON -----------------------------------------------------------------------------------


def _require_actor(request: HttpRequest) -> Actor:
    token = _read_bearer_token(request)
    if token:
        return make_player_actor(load_entrant(token))
    if request.user.is_authenticated:
        return get_staff_actor(request)
    raise NotAllowed(
        "who-are-you", _("Send the header “Authorization: Bearer …” with an entrant's private token, or sign in.")
    )


def _require_key(request: HttpRequest) -> str:
    key = request.headers.get("Idempotency-Key", "").strip()
    if not key or len(key) > 100:
        raise DomainError(
            "key-needed", _("Send a header Idempotency-Key of up to 100 characters, a new one for every new write.")
        )
    return key


@contextmanager
def _read_fields(request: HttpRequest) -> Iterator[FieldReader]:
    """Yield a reader for the fields of the request body.

    All problems are raised together when the `with` block ends.
    """
    problems = ProblemCollector()
    fields = FieldReader(_read_body(request), problems)
    yield fields
    fields.finish()
    problems.raise_if_any()


def _read_body(request: HttpRequest) -> dict[str, Any]:
    """Parse the request body as a single JSON object."""
    if int(request.headers.get("Content-Length") or 0) > _MAX_BODY_SIZE:
        raise DomainError("too-long", _("The body is too long for a score card."))
    try:
        return parse_json_object(request.body)
    except RawPostDataException:  # it was a form, and the CSRF check has already read it
        raise DomainError("not-json", _("Send JSON, with the content type application/json.")) from None


def _read_bearer_token(request: HttpRequest) -> str:
    scheme, _separator, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _make_refusal_response(problems: list[InputProblem], status: int) -> JsonResponse:
    errors = [{"code": p.code, "path": p.path, "message": p.message} for p in problems]
    return JsonResponse({"ok": False, "errors": errors}, status=status)
