"""The JSON interface for hands that a phone kept without a network. See docs/running/phones.md.

It uses no session and no CSRF token. Each hand carries a proof of its own, so anybody may deliver it.
"""

from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, JsonResponse, QueryDict
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from scoring.card_state.selectors.cards import CardState, load_card, state_before_hand
from scoring.card_state.selectors.players import load_players
from scoring.card_state.selectors.written_card import as_start
from scoring.card_state.tables import line_in_words
from scoring.cards.forms.lines import PhoneLineForm
from scoring.cards.pages.refusals import Answer, read_fields
from scoring.cards.selectors.checks import canonical_line
from scoring.cards.services.hands import BadLine, LineEntry, preview_line
from scoring.cards.services.offline import OfflineHand, accept_offline_hand, recorded_line, require_proof
from tournament.errors import BadCase, DomainError, NotFound
from tournament.models import Entrant


@dataclass(frozen=True, slots=True)
class DeliveredHand:
    """A kept hand that arrived, with its card, its player, and the form of its line."""

    state: CardState
    entrant: Entrant
    kept: OfflineHand
    form: PhoneLineForm

    def line(self) -> dict[str, Any]:
        if not self.form.is_valid():
            raise DomainError(
                "not-a-hand", _("This hand is not for this score card. Open the score card again and enter it.")
            )
        return self.form.line()


def _json_view(answer: Answer) -> Answer:
    """Call answer(request, sent), and answer every refusal with {"ok": false, "code", "message"}."""

    @wraps(answer)
    def refusing(request: HttpRequest, token: str) -> JsonResponse:
        try:
            return answer(request, _read_hand(request, token))
        except BadCase as error:
            return JsonResponse({"ok": False, "code": "bad-case", "message": str(error)}, status=422)
        except DomainError as error:
            refused = {"ok": False, "code": error.code, "message": error.message}
            if isinstance(error, BadLine):
                refused["impossible"] = True
            return JsonResponse(refused, status=error.http_status)

    return cast(Answer, csrf_exempt(require_POST(refusing)))


@_json_view
def send(request: HttpRequest, sent: DeliveredHand) -> JsonResponse:
    """Record a kept hand.

    The body is `{"entrant", "key", "hand", "typed_at", "fields", "proof"}`, with `"carried_by"` if another person
    brings it. The answer is 201 if the hand is on the card, also from an earlier try. It is 409 `hand-taken` with
    `on_card` and `typed` if the card has another hand there, or not yet the hand before. `hands` is how many the card
    has. A refusal of impossible figures has `impossible`. The header `X-Tell` leaves a message for the next page.
    """
    try:
        line = sent.line()
        entry = LineEntry(line, override=sent.form.cleaned_data["override"], drawn=sent.form.drawn)
        after = accept_offline_hand(sent.state, sent.entrant, sent.kept, entry)
    except DomainError as error:
        if error.code != "hand-taken":
            raise
        return _taken_response(sent, error)
    message = _("%s is recorded.") % as_start(after.name_line(sent.kept.hand))
    if request.headers.get("X-Tell"):
        messages.success(request, message)
    return JsonResponse({"ok": True, "hands": len(after.lines), "said": message}, status=201)


@_json_view
def read(request: HttpRequest, sent: DeliveredHand) -> JsonResponse:
    """Return in words what is handed over, before it is sent: the player, the card, the hand, and its status."""
    require_proof(sent.state.card, sent.entrant, sent.kept)
    line, refused = sent.line(), ""
    on_card = recorded_line(sent.state, sent.kept.hand)
    if on_card is None:
        try:
            preview_line(sent.state, line)
        except BadLine as error:
            refused = error.message
    same = on_card is not None and _is_same(sent, line, on_card)
    card = sent.state.card
    shown = {
        "player": sent.entrant.name,
        "card": _("%(names)s, game %(game)s") % {"names": sent.state.title, "game": card.game},
        "event": card.match.event.name,
        "typed": line_in_words(sent.state, line),
        "stands": "same" if same else "taken" if on_card is not None else "new",
        "on_card": line_in_words(sent.state, on_card) if on_card is not None else "",
    }
    return JsonResponse({"ok": True, **shown, "refused": refused})


def _taken_response(sent: DeliveredHand, error: DomainError) -> JsonResponse:
    """Answer that another hand is on the card, with both in words. If the figures are the same, answer with success."""
    # Somebody may have written on the card since it was read.
    sent = replace(sent, state=load_card(sent.state.card.token))
    line, on_card = sent.line(), recorded_line(sent.state, sent.kept.hand)
    hands = len(sent.state.lines)
    if on_card is not None and _is_same(sent, line, on_card):
        message = _("%s was on the score card already, with the same score.") % as_start(
            sent.state.name_line(sent.kept.hand)
        )
        return JsonResponse({"ok": True, "hands": hands, "said": message, "was_there": True})
    words = line_in_words(sent.state, on_card) if on_card is not None else ""
    answer = {"ok": False, "code": error.code, "message": error.message, "hands": hands}
    return JsonResponse({**answer, "typed": line_in_words(sent.state, line), "on_card": words}, status=409)


def _is_same(sent: DeliveredHand, line: dict[str, Any], on_card: dict[str, Any]) -> bool:
    hand = sent.kept.hand
    return bool(canonical_line(sent.state, hand, line) == canonical_line(sent.state, hand, on_card))


def _read_hand(request: HttpRequest, token: str) -> DeliveredHand:
    if request.content_type != "application/json":
        raise DomainError("not-json", _("Send JSON."))
    with read_fields(request) as fields:
        number = fields.integer("entrant", minimum=1)
        kept = OfflineHand(
            key=fields.text("key"),
            hand=fields.integer("hand", minimum=1),
            typed_at=fields.integer("typed_at", minimum=0),
            fields=fields.text("fields"),
            proof=fields.text("proof"),
            carried_by=_carrier(request, fields.text("carried_by", empty=True, default="")),
        )
    state = load_card(token)
    form = PhoneLineForm(QueryDict(kept.fields), state=state_before_hand(state, str(kept.hand)))
    return DeliveredHand(state, _entrant(state, number), kept, form)


def _carrier(request: HttpRequest, named: str) -> str:
    """Return who hands over: a staff member's account, or the name that somebody else enters."""
    if not named:
        return ""
    if request.user.is_authenticated:
        return str(request.user)
    return _("“%s”") % named.strip()[:80]


def _entrant(state: CardState, number: int) -> Entrant:
    seated = [seat.entrant for seat in state.seats if seat.entrant is not None]
    found = next((who for who in (*seated, *load_players(state.card.match)) if who.number == number), None)
    if found is None:
        raise NotFound("no-entrant", _("Nobody with this number is on this score card. Look at the entry numbers."))
    return found
