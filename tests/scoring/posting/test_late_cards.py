"""If a late entry takes a bye, the card of the next match accepts no hand until both its players are known."""

from __future__ import annotations

import pytest

from pairing.models import LateEntry
from pairing.results.selectors.late_entries import load_open_byes
from pairing.results.services.late_entries import take_over_bye, undo_late_entry
from scoring.models import Card
from scoring.posting.services.opening import open_missing_cards, start_play
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.factories import an_entrant
from tests.kit import entrant_of, fresh, refused
from tests.pairing.helpers.events import a_posted_event
from tests.pairing.helpers.stages import progress_of
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import gin, play, post, the_card
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db


@prebuilt
def in_play(entrants: int) -> Event:
    event = a_posted_event(entrants)
    save_rule_sheet(event, ChosenRules("gra-singles", {"target": 50}), by=SYSTEM_ACTOR)
    return start_play(event, by=SYSTEM_ACTOR)


def joined(event: Event, number: int) -> LateEntry:
    an_entrant(event, f"Came Late {number}", number=number)
    return take_over_bye(entrant_of(event, number), by=SYSTEM_ACTOR, reason="the train")


def waits_for_a_late_entry(event: Event) -> tuple[LateEntry, Card]:
    """Add late entries until one of them takes the bye of a player whose next match already has a card.

    Return this late entry, and the card of the match, which now has to wait.
    """
    (ident,) = [view.match.id for view in progress_of(event).ready if view.match.round == 2]
    two = set(progress_of(event)[ident].entries)
    card = the_card(event, ident)
    late = joined(event, 90)
    while late.bye.number not in two:
        late = joined(event, late.entrant.number + 1)
    return late, card


def test_the_card_of_a_match_that_waits_now_takes_no_hand_until_its_two_meet_after_all() -> None:
    event = in_play(5)
    late, card = waits_for_a_late_entry(event)
    with refused("bye-taken"):
        play(card, gin())
    assert not card.lines.exists()
    open_missing_cards(fresh(event), by=SYSTEM_ACTOR)
    own = the_card(event, late.match.ident)
    assert {one.number for one in own.entrants} == {late.entrant.number, late.bye.number}
    post(own, "AB"[[one.number for one in own.entrants].index(late.bye.number)])
    assert progress_of(event)[late.match.ident].winner == late.bye.number
    play(card, gin())
    assert card.lines.exists()


def test_it_takes_none_either_when_the_late_entry_has_won() -> None:
    event = in_play(5)
    late, card = waits_for_a_late_entry(event)
    open_missing_cards(fresh(event), by=SYSTEM_ACTOR)
    own = the_card(event, late.match.ident)
    post(own, "AB"[[one.number for one in own.entrants].index(late.entrant.number)])
    with refused("bye-taken"):
        play(card, gin())


def test_a_hand_that_was_written_first_shuts_both_byes() -> None:
    event = in_play(5)
    (ident,) = [view.match.id for view in progress_of(event).ready if view.match.round == 2]
    two = set(progress_of(event)[ident].entries)
    play(the_card(event, ident), gin())
    found = load_open_byes(fresh(event))
    assert found is not None and not two & found.byes.keys()


def test_a_match_begun_on_its_card_stays_and_one_taken_back_takes_no_hand() -> None:
    event = in_play(3)
    late = joined(event, 90)
    open_missing_cards(fresh(event), by=SYSTEM_ACTOR)
    undo_late_entry(late, by=SYSTEM_ACTOR, reason="the wrong event")
    with refused("late-entry-taken-back"):
        play(the_card(event, "R1M2"), gin())
    again = joined(event, 91)
    open_missing_cards(fresh(event), by=SYSTEM_ACTOR)
    play(the_card(event, again.match.ident), gin())
    with refused("play-began"):
        undo_late_entry(again, by=SYSTEM_ACTOR, reason="x")
    assert [check.finding for check in verify_event(fresh(event)) if not check.passed] == []
