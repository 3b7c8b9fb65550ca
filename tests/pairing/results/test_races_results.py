"""Two staff members act at the same time. One action succeeds, and the other gets an error message."""

from __future__ import annotations

import pytest

from pairing.desk.services.sending import call_match_to_table, call_ready_matches
from pairing.draws.results import ResultCause
from pairing.models import MatchResult, MatchSeat, Seating, TableCall
from pairing.results.services.finish import finish_event
from pairing.results.services.results import MatchDecision, decide_match, record_table_result, remove_entrant
from pairing.stages.services.tables import seat_next_round
from tests.kit import fresh
from tests.pairing.helpers.events import an_event_in_play, play_all, post_seating, the_match
from tests.pairing.helpers.races import at_once, refusals
from tests.pairing.helpers.seatings import in_play as in_play_at_tables
from tests.pairing.helpers.seatings import play_round
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, EntrantFact, Event

pytestmark = [pytest.mark.race, pytest.mark.django_db(transaction=True)]


def test_two_desks_that_saw_no_result_make_one() -> None:
    event = an_event_in_play(2)
    match = the_match(event, "R1M1")
    one, other = event.entrants.order_by("number")

    def decide(winner: Entrant) -> MatchResult:
        said = MatchDecision(
            match=match, winner=winner, cause=ResultCause.NO_SHOW, reason="seen so", last_seen_result=0
        )
        return decide_match(said, by=SYSTEM_ACTOR)

    assert refusals(at_once(lambda: decide(one), lambda: decide(other))) == ["decided-meanwhile"]
    assert MatchResult.objects.count() == 1


def test_one_form_sent_three_times_is_one_result() -> None:
    event = an_event_in_play(2)
    match, winner = the_match(event, "R1M1"), event.entrants.get(number=1)

    def decide() -> MatchResult:
        said = MatchDecision(
            match=match, winner=winner, cause=ResultCause.NO_SHOW, reason="seen so", last_seen_result=0
        )
        return decide_match(said, by=SYSTEM_ACTOR, key="one")

    ends = at_once(decide, decide, decide)
    assert len(set(ends)) == MatchResult.objects.count() == 1


def test_two_desks_send_all_and_no_table_has_two_matches() -> None:
    event = an_event_in_play(16)
    ends = at_once(
        lambda: call_ready_matches(event, 1, 8, by=SYSTEM_ACTOR),
        lambda: call_ready_matches(event, 1, 8, by=SYSTEM_ACTOR),
    )
    assert sorted(ends) == [0, 8]  # type: ignore[type-var]
    assert sorted(TableCall.objects.values_list("table", flat=True)) == list(range(1, 9))


def test_one_table_called_for_two_matches() -> None:
    event = an_event_in_play(8)
    acts = [lambda ident=f"R1M{n}": call_match_to_table(the_match(event, ident), 3, by=SYSTEM_ACTOR) for n in (1, 2, 3)]
    assert refusals(at_once(*acts)) == ["busy", "busy"]
    assert TableCall.objects.count() == 1


def test_finished_twice_is_finished_once() -> None:
    event = an_event_in_play(4)
    play_all(event)
    ends = at_once(lambda: finish_event(event, by=SYSTEM_ACTOR), lambda: finish_event(event, by=SYSTEM_ACTOR))
    assert refusals(ends) == ["already-there"]
    assert event.finishes.count() == 1


def test_finishing_while_a_result_is_corrected_never_pays_the_wrong_one() -> None:
    event = an_event_in_play(2)
    play_all(event)
    first = MatchResult.objects.get()
    loser = event.entrants.exclude(pk=first.winner_id).get()
    match = the_match(event, "R1M1")

    def correct() -> MatchResult:
        said = MatchDecision(
            match=match,
            winner=loser,
            cause=ResultCause.PLAYED,
            reason="names were changed",
            last_seen_result=first.pk,
            override=True,
        )
        return decide_match(said, by=SYSTEM_ACTOR)

    ends = at_once(lambda: finish_event(event, by=SYSTEM_ACTOR), correct)
    winner = first.winner if refusals(ends) else loser
    assert winner is not None
    assert event.finishes.get().places[0] == [winner.number]
    assert fresh(event).state == Event.State.FINISHED


def test_out_by_two_desks_is_out_once() -> None:
    event = an_event_in_play(4)
    entrant = event.entrants.get(number=1)

    def out() -> Entrant:
        return remove_entrant(entrant, EntrantFact.Kind.NO_SHOW, by=SYSTEM_ACTOR, reason="not seen")

    assert refusals(at_once(out, out)) == ["out-already"]
    assert EntrantFact.objects.filter(entrant=entrant, kind="no-show").count() == 1


def test_two_directors_seat_and_post_a_round_once() -> None:
    event = in_play_at_tables()
    play_round(event)
    ends = at_once(lambda: seat_next_round(event, by=SYSTEM_ACTOR), lambda: seat_next_round(event, by=SYSTEM_ACTOR))
    assert refusals(ends) == ["seated-already"]
    ends = at_once(lambda: post_seating(event, by=SYSTEM_ACTOR), lambda: post_seating(event, by=SYSTEM_ACTOR))
    assert refusals(ends) == ["no-seating"]
    assert (Seating.objects.filter(round=2).count(), MatchSeat.objects.filter(match__round=2).count()) == (1, 8)


def test_two_desks_that_type_the_totals_of_one_table_make_one_result() -> None:
    event = in_play_at_tables()
    match = the_match(event, "R1T1")
    totals = {seat.entrant.number: 10 for seat in match.seats.select_related("entrant")}

    def type_them() -> MatchResult:
        return record_table_result(match, totals, by=SYSTEM_ACTOR, reason="on paper", seen=0)

    assert refusals(at_once(type_them, type_them)) == ["decided-meanwhile"]
    assert MatchResult.objects.count() == 1
