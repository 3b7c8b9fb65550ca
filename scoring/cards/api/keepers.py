"""The JSON interface for up cards and for checking the other player's hands. See docs/running/cards.md."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from scoring.card_state.selectors.cards import load_card, load_card_by_pk
from scoring.cards.api.cards import as_json
from scoring.cards.pages.json_senders import actor_of, fields_of, json_view, key_of
from scoring.cards.selectors.keepers import Keeping, load_keeping
from scoring.cards.services.keepers import (
    Seen,
    Turned,
    confirm_hand,
    dispute_hand,
    record_up_card,
    settle_as_written,
    take_other_figures,
)
from tournament.cases import read_object
from tournament.errors import DomainError


@require_POST
@json_view
def up_cards(request: HttpRequest, token: str) -> JsonResponse:
    """Record an up card.

    `{"hand": 3, "up": "8H", "turned_at": "2026-11-27T14:03:00Z"}`. Without a time, the card was turned just now.
    """
    actor, key = actor_of(request), key_of(request)
    with fields_of(request) as fields:
        hand = fields.integer("hand", minimum=1)
        up, turned_at = fields.text("up"), fields.text("turned_at", default="")
    card = load_card(token).card
    record_up_card(card, Turned(hand, up, _moment(turned_at), key), by=actor)
    return _answer(load_keeping(load_card_by_pk(card.pk)))


@require_POST
@json_view
def checks(request: HttpRequest, token: str) -> JsonResponse:
    """Check a hand that somebody else entered.

    `{"hand": 3, "line": 71}` confirms the hand as that line has it. With `"own": {…}` the player enters other figures.
    `{"take": 12}` writes the figures of that check. The desk sends a `"reason"` to settle the hand as written.
    """
    actor, key = actor_of(request), key_of(request)
    with fields_of(request) as fields:
        sent = {
            "hand": fields.integer("hand", minimum=1, default=None),
            "line": fields.integer("line", minimum=1, default=None),
            "own": fields.read("own", read_object, None),
            "take": fields.integer("take", minimum=1, default=None),
            "reason": fields.text("reason", empty=True, default=""),
        }
    card = load_card(token).card
    if sent["take"] is not None:
        return _answer(take_other_figures(card, sent["take"], by=actor, key=key))
    seen = Seen(sent["hand"] or 0, sent["line"] or 0, key)
    if actor.entrant is None:
        return _answer(settle_as_written(card, seen, by=actor, reason=sent["reason"]))
    if sent["own"] is not None:
        return _answer(dispute_hand(card, seen, sent["own"], by=actor))
    return _answer(confirm_hand(card, seen, by=actor))


def keeping_as_json(keeping: Keeping) -> dict[str, Any]:
    """Return each hand with its line's key and its checks, and every up card with its recorder and time."""
    hands = [
        {
            "hand": checked.hand,
            "line": checked.line.pk,
            "state": "different" if checked.is_different else "confirmed" if checked.is_confirmed else "open",
            "against": [{"check": check.pk, "by": check.by_name, "own": check.own} for check in checked.against],
        }
        for checked in keeping.hands
    ]
    ups = [
        {"hand": hand, "up": up.up, "by": up.by_name, "turned_at": up.turned_at.isoformat(), "at": up.at.isoformat()}
        for hand in sorted(keeping.up_cards)
        for up in keeping.up_cards[hand]
    ]
    return {"hands": hands, "up_cards": ups}


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if text and (moment is None or moment.tzinfo is None):
        raise DomainError(
            "bad-value", _("“turned_at” is a moment with its time zone, for example 2026-11-27T14:03:00Z.")
        )
    return moment


def _answer(keeping: Keeping) -> JsonResponse:
    return JsonResponse({**as_json(keeping.state), **keeping_as_json(keeping)}, status=201)
