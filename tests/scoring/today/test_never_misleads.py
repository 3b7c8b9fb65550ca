"""*Today* never claims that everything is done while somebody waits for staff, and its next step is always possible."""

from __future__ import annotations

from datetime import date

import pytest

from pairing.blind_draw.services import close_registration
from pairing.desk.services.pairings import PairsToSend
from pairing.desk.services.sending import call_match_to_table
from pairing.stages.selectors.course import load_event_stages
from tests.factories import a_director, a_user, an_entrant, an_event
from tests.kit import fresh
from tests.pairing.helpers.events import an_event_in_play, send_pairs, the_match
from tests.pairing.helpers.partners import act
from tests.pairing.helpers.partners import pairs as a_pairs_event
from tests.pairing.helpers.stages import staged
from tests.prebuilt import prebuilt
from tests.scoring.helpers.today import CAUGHT_UP, signed_in, today
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Event
from tournament.money.services import fees_and_refunds
from tournament.money.services.drawers_and_close import EndOfDayCount, record_day_count
from tournament.registration.services.entries import keep_entrants_in_draw

pytestmark = pytest.mark.django_db

QUALIFYING = {"kind": "record", "games": 3}
FINALS = {"kind": "single-elimination", "places": 2}


def next_label(page: str) -> str:
    return page.partition("Next: ")[2].partition("<")[0]


@pytest.mark.parametrize("state", ["drawn", "in-play", "finished"])
def test_fees_that_are_owed_after_the_draw(state: str) -> None:
    event = an_event(state="open", fee_cents=60_00)
    with writing(event, verb="test.charged", by=SYSTEM_ACTOR) as write:
        fees_and_refunds.charge_fee(write, an_entrant(event))
    Event.objects.filter(pk=event.pk).update(state=state)
    page = today(fresh(event))
    assert "1 entrant still owes:" in page
    assert "$60.00" in page
    assert CAUGHT_UP not in page


def test_fees_of_somebody_who_plays_anyway() -> None:
    event = an_event(state="open", fee_cents=60_00)
    owing = an_entrant(event, arrived=True)
    an_entrant(event, "Kurt", number=2, arrived=True)
    with writing(event, verb="test.charged", by=SYSTEM_ACTOR) as write:
        fees_and_refunds.charge_fee(write, owing)
    close_registration(fresh(event), by=SYSTEM_ACTOR)
    keep_entrants_in_draw(fresh(event), [owing.number], by=SYSTEM_ACTOR)
    page = today(fresh(event))
    assert "1 entrant still owes:" in page and "$60.00" in page
    assert next_label(page) == "Make the draw"


def test_a_count_that_waits_for_its_second_signature() -> None:
    event = an_event(state="in-play")
    record_day_count(
        event.tournament, date(2026, 11, 6), EndOfDayCount({}, {}), by=a_director(event.tournament), key=""
    )
    page = today(event)
    assert "The count of Nov 6 needs a second signature" in page
    assert "?day=2026-11-06" in page


def test_a_late_entry_that_is_in_no_match_is_added_before_tables_are_assigned() -> None:
    event = an_event_in_play(5)
    an_entrant(event, "Late Larry", number=6, arrived=True)
    page = today(fresh(event))
    assert "Late Larry is checked in and in no match yet." in page
    assert next_label(page) == "Add the late entry"


def test_an_entry_that_can_join_nothing_is_named_with_what_to_do() -> None:
    event = an_event_in_play(4)
    an_entrant(event, "Late Larry", number=5, arrived=True)
    page = today(fresh(event))
    assert "Late Larry is checked in, and no place is left. Withdraw the entry and refund the fee." in page
    assert next_label(page) == "Assign tables"


def test_partners_that_are_drawn_and_not_posted() -> None:
    event = a_pairs_event(4)
    client = signed_in(a_user("director", event.tournament))
    act(client, event, "seal", number=["1", "2", "3", "4"])
    act(client, event, "cut", public="7H QS", key="k")
    page = today(fresh(event))
    assert "The partners are drawn, but not posted. Only staff can see them." in page
    assert CAUGHT_UP not in page


def test_pairings_are_not_the_next_step_while_everybody_plays() -> None:
    event = staged(4, QUALIFYING, FINALS)
    assert next_label(today(event)) == "Make pairings in “Qualifying”"
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4)), tables=(1, 2)), by=SYSTEM_ACTOR)
    assert next_label(today(fresh(event))) == "Follow the score cards"


@prebuilt
def two_events_in_play() -> tuple[Event, Event]:
    """Return two events of a tournament, whose first matches were called to table 3 and to table 4."""
    one, other = an_event_in_play(4), an_event_in_play(4)
    Event.objects.filter(pk=other.pk).update(tournament=one.tournament, slug="pairs", name="Pairs")
    other = fresh(other)
    call_match_to_table(the_match(one, "R1M1"), 3, by=SYSTEM_ACTOR)
    call_match_to_table(the_match(other, "R1M1"), 4, by=SYSTEM_ACTOR)
    return fresh(one), other


def test_two_events_beside_each_other_clash_in_nothing() -> None:
    for event in two_events_in_play():
        page = today(event)
        assert "Send one of the two matches" not in page
        assert "is called to table" not in page


def test_one_table_used_by_two_events() -> None:
    one, other = two_events_in_play()
    call_match_to_table(the_match(other, "R1M1"), 3, by=SYSTEM_ACTOR)
    said = "Table 3 is used by {}, too. Send one of the two matches to another table."
    assert said.format("Pairs") in today(one)
    assert said.format(one.name) in today(other)


def test_a_player_called_to_two_tables() -> None:
    one, other = two_events_in_play()
    first = one.entrants.get(number=draw_first(one))
    second = other.entrants.get(number=draw_first(other))
    member = second.members.get()
    member.player = first.members.get().player
    member.save()
    said = f"{first.name} is called to table 3, and to table 4 in Pairs."
    assert said in today(one)


def draw_first(event: Event) -> int:
    """Return the entry number of the first entrant in the first match."""
    progress = load_event_stages(event).progress
    assert progress is not None
    return progress["R1M1"].entries[0]
