"""Staff can enter totals for a table that replace the totals on its signed card, and can undo this."""

from __future__ import annotations

from typing import Any

import pytest

from pairing.blind_draw.services import take_back_draw
from pairing.draws.results import ResultCause
from pairing.models import MatchResult
from pairing.results.services.corrections import EventPreview
from pairing.results.services.results import record_table_result
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.models import Card
from scoring.posting.selectors.card_status import load_card_status
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.kit import client_as, event_url, fresh
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tests.scoring.helpers.superseded import bad_lines, page, words
from tests.scoring.helpers.table_events import a_table_event_in_play, open_cards, play_fort_worth, sign_all
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import ReasonRequired
from tournament.models import Event

pytestmark = pytest.mark.django_db

WHY = "Two columns were swapped"


@prebuilt
def posted() -> tuple[Event, Card]:
    event = a_table_event_in_play(4, "fort-worth", {"size": 4, "rounds": 2}, length="very-short")
    card = open_cards(event)[0]
    play_fort_worth(card, {"B": 10, "C": 20, "D": 30})
    sign_all(card)
    assert load_card_state_by_pk(card.pk).is_posted
    return fresh(event), card


def totals(card: Card, **changed: int) -> dict[int, int]:
    state = load_card_state_by_pk(card.pk)
    found = {side.number: side.total for side in state.sides if side.number is not None}
    first, second = list(found)[1:3]
    return found | {first: found[second], second: found[first]} if changed.get("swapped") else found


def test_typed_totals_that_are_not_those_of_the_card_supersede_it_after_a_look() -> None:
    event, card = posted()
    digest, match = load_card_state_by_pk(card.pk).digest, card.match
    with pytest.raises(ReasonRequired) as asked:
        record_table_result(match, totals(card, swapped=1), by=SYSTEM_ACTOR, reason=WHY)
    assert asked.value.code == "against-card"
    assert MatchResult.objects.filter(match=match).count() == 1
    record_table_result(match, totals(card, swapped=1), by=SYSTEM_ACTOR, reason=WHY, override=True)
    assert find_card_proof(digest).authenticity is Authenticity.SUPERSEDED
    for where in (page(event, "scoring:card", token=card.token), page(event, "pairing:match", ident=match.ident)):
        assert "Superseded." in where and WHY in where
    assert bad_lines(event) == []


def test_the_same_totals_leave_the_card_as_it_is() -> None:
    event, card = posted()
    record_table_result(card.match, totals(card), by=SYSTEM_ACTOR, reason="once more")
    assert load_card_status(load_card_state_by_pk(card.pk)).is_counting
    assert bad_lines(event) == []


def test_a_table_that_is_opened_again_says_so_on_its_card() -> None:
    event, card = posted()
    record_table_result(card.match, {}, ResultCause.VOID, by=SYSTEM_ACTOR, reason=WHY, override=True)
    assert "will be played again" in page(event, "scoring:card", token=card.token)


def test_the_page_of_a_table_shows_the_card_first_and_then_does_it() -> None:
    event, card = posted()
    client = client_as("director", event)
    address = event_url("pairing:desk_decide", event, ident=card.match.ident)
    fields: dict[str, Any] = {f"total_{number}": total for number, total in totals(card, swapped=1).items()}
    fields |= {"end": "played", "reason": WHY, "key": "k1"}
    looked = client.post(address, fields).content.decode()
    assert "Signed score cards that would be superseded" in words(looked)
    assert load_card_status(load_card_state_by_pk(card.pk)).is_counting
    shown = looked.split('name="shown" value="')[1].split('"')[0]
    assert client.post(address, {**fields, "act": "do", "shown": shown}).status_code == 302
    assert not load_card_status(load_card_state_by_pk(card.pk)).is_counting


def test_a_signed_game_of_a_draw_that_was_taken_back_counts_for_nothing() -> None:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"), games_to_win=2)
    card = the_card(event)
    post(card)
    effects = EventPreview(event).preview(lambda: take_back_draw(event, by=SYSTEM_ACTOR, reason=WHY))
    assert [then.title for _now, then in effects.changed_cards] == ["Ada 91\u00a0–\u00a00 Alan"]
    take_back_draw(event, by=SYSTEM_ACTOR, reason=WHY)
    assert find_card_proof(load_card_state_by_pk(card.pk).digest).authenticity is Authenticity.SUPERSEDED
    shown = page(fresh(event), "scoring:card", token=card.token)
    assert "The draw was undone; this match does not count." in shown and WHY in shown
