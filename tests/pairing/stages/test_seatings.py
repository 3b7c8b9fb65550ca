from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from pairing.blind_draw.services import close_registration, make_draw, post_draw, take_back_draw
from pairing.desk.services.sending import call_match_to_table, call_ready_matches
from pairing.draws.results import ResultCause
from pairing.models import Match, MatchResult, MatchSeat, Seating, SeatingTakenBack
from pairing.results.services.corrections import undo_result
from pairing.results.services.finish import finish_event, reopen_event
from pairing.results.services.results import record_table_result, remove_entrant
from pairing.stages.selectors.course import load_busy_tables, load_event_stages
from pairing.stages.selectors.tables import load_seating_board
from pairing.stages.services.apart import keep_entrants_apart
from pairing.stages.services.plans import choose_format, set_table_rules
from pairing.stages.services.tables import change_round_count, seat_next_round, take_back_seating
from tests.factories import a_director, a_tournament, a_user, an_entrant, an_event, plan_of
from tests.kit import event_url, fresh, refused
from tests.pairing.helpers.events import a_closed_event, an_open_event, post_seating, the_match
from tests.pairing.helpers.seatings import in_play, play, play_round, the_hall
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.core.services.record import writing
from tournament.errors import Conflict, DomainError, NotAllowed, ReasonRequired
from tournament.models import AuditEntry, Entrant, Event
from tournament.registration.services.entries import keep_entrants_in_draw, withdraw_entrant

pytestmark = pytest.mark.django_db


def tables_of(event: Event) -> list[tuple[int, ...]]:
    current = the_hall(event).rounds.current_round
    return [table.entries for table in current.tables] if current else []


class TestFormat:
    def test_it_is_chosen_until_registration_closes_by_a_director(self) -> None:
        event = an_event(a_tournament())
        director = a_director(event.tournament)
        choose_format(event, "tables", {"rounds": 3}, by=director)
        assert fresh(event).plan == plan_of("tables", {"size": 4, "full": False, "rounds": 3})
        with pytest.raises(NotAllowed):
            choose_format(event, "tables", {}, by=make_staff_actor(a_user("desk", event.tournament)))
        an_entrant(event)
        close_registration(event, by=SYSTEM_ACTOR)
        with pytest.raises(Conflict, match="the format is fixed"):
            choose_format(event, "single-elimination", {}, by=director)

    @pytest.mark.parametrize(
        ("name", "options"),
        [("tables", {"size": 9}), ("tables", {"seats": 4}), ("swiss", {}), ("single-elimination", {"rounds": 2})],
    )
    def test_what_is_not_known_is_refused(self, name: str, options: dict[str, Any]) -> None:
        with refused("bad-format"):
            choose_format(an_event(), name, options, by=SYSTEM_ACTOR)


class TestRoundOne:
    def test_it_is_posted_with_the_draw_in_the_drawn_order_and_called_to_tables(self) -> None:
        event = in_play(9)
        order = event.commitments.get().draw.order
        assert tables_of(event) == [tuple(order[:3]), tuple(order[3:6]), tuple(order[6:])]
        assert the_hall(event).tables == {"R1T1": 1, "R1T2": 2, "R1T3": 3}
        assert load_event_stages(event).progress is None

    def test_two_that_are_kept_apart_do_not_sit_together(self) -> None:
        event = an_open_event(8, format="tables", format_options={"size": 4, "rounds": 1})
        people = {entrant.number: entrant for entrant in event.entrants.all()}
        for other in (2, 3, 4):
            keep_entrants_apart(people[1], people[other], by=SYSTEM_ACTOR, reason="same club")
        close_registration(event, by=SYSTEM_ACTOR)
        keep_entrants_in_draw(fresh(event), list(people), by=SYSTEM_ACTOR)
        make_draw(event, "", by=SYSTEM_ACTOR)
        post_draw(event, by=SYSTEM_ACTOR)
        table = next(table for table in tables_of(event) if 1 in table)
        assert not {2, 3, 4} & set(table)

    def test_too_few_for_full_tables_are_refused_at_the_draw(self) -> None:
        event = a_closed_event(2, format="tables", format_options={"size": 3, "full": True})
        with pytest.raises(DomainError, match="needs at least 3"):
            make_draw(event, "", by=SYSTEM_ACTOR)

    def test_tables_that_the_rules_are_not_for_are_refused_at_the_draw(self) -> None:
        event = a_closed_event(8, format="tables")
        with writing(event, verb="rules.saved", by=SYSTEM_ACTOR) as write:
            set_table_rules(write, "Captain", fewest=3, most=3, low_wins=False)
        with pytest.raises(Conflict, match="Captain is for 3"):
            make_draw(event, "", by=SYSTEM_ACTOR)

    def test_the_draw_is_taken_back_with_its_tables(self) -> None:
        event = in_play()
        take_back_draw(event, by=SYSTEM_ACTOR, reason="a name was missing")
        assert load_seating_board(fresh(event)) is None
        assert fresh(event).state == Event.State.CLOSED


class TestNextRound:
    def test_it_waits_for_every_table_or_says_who_is_left_out(self) -> None:
        event = in_play(12)
        play(event, "R1T1", 0, 10, 20, 30)
        play(event, "R1T2", 0, 10, 20, 30)
        with pytest.raises(ReasonRequired) as asked:
            seat_next_round(event, by=SYSTEM_ACTOR)
        assert asked.value.data["warnings"] == ["R1T3"]
        seating = seat_next_round(event, by=SYSTEM_ACTOR, reason="the bus leaves at six")
        late = the_hall(event).rounds.ready_tables[0].entries
        assert seating.record["left_out"] == sorted(late)
        assert not set(late) & {number for table in seating.tables for number in table}

    def test_a_preview_is_not_seen_until_it_is_posted_and_is_made_once(self) -> None:
        event = in_play()
        play_round(event)
        first = seat_next_round(event, by=SYSTEM_ACTOR, key="k")
        assert seat_next_round(event, by=SYSTEM_ACTOR, key="k") == first
        assert len(the_hall(event).rounds.rounds) == 1
        with pytest.raises(Conflict, match="The next round has its tables"):
            seat_next_round(event, by=SYSTEM_ACTOR)
        post_seating(event, by=SYSTEM_ACTOR)
        with pytest.raises(Conflict, match="no table assignments to post"):
            post_seating(event, by=SYSTEM_ACTOR)
        assert [sorted(table) for table in tables_of(event)] == [sorted(table) for table in first.tables]
        assert [seat.entrant.number for seat in MatchSeat.objects.filter(match__ident="R2T1")] == first.tables[0]

    def test_there_is_no_round_after_the_last(self) -> None:
        event = in_play(rounds=1)
        play_round(event)
        with pytest.raises(Conflict, match="Add a round first"):
            seat_next_round(event, by=SYSTEM_ACTOR)

    def test_who_is_out_is_not_seated_and_who_comes_back_is(self) -> None:
        event = in_play(9)
        play_round(event)
        gone = event.entrants.get(number=4)
        remove_entrant(gone, "withdrawn", by=SYSTEM_ACTOR, reason="went home")
        seating = seat_next_round(event, by=SYSTEM_ACTOR)
        assert sorted(number for table in seating.tables for number in table) == [1, 2, 3, 5, 6, 7, 8, 9]

    def test_somebody_who_goes_out_after_it_was_seated_stops_the_posting(self) -> None:
        event = in_play()
        play_round(event)
        seat_next_round(event, by=SYSTEM_ACTOR)
        withdraw_entrant(event.entrants.get(number=3), by=SYSTEM_ACTOR)
        with pytest.raises(Conflict, match="has left the event since"):
            post_seating(event, by=SYSTEM_ACTOR)
        take_back_seating(event, by=SYSTEM_ACTOR, reason="entry 3 went home")
        assert 3 not in {number for table in seat_next_round(event, by=SYSTEM_ACTOR).tables for number in table}

    def test_only_a_director_seats_posts_and_takes_back(self) -> None:
        event = in_play()
        desk = make_staff_actor(a_user("desk", event.tournament))
        for act in (lambda: seat_next_round(event, by=desk), lambda: take_back_seating(event, by=desk, reason="x")):
            with pytest.raises(NotAllowed):
                act()


class TestTakingBack:
    def test_it_needs_a_reason_and_stays_in_the_record(self) -> None:
        event = in_play()
        with pytest.raises(DomainError, match="Enter why you"):
            take_back_seating(event, by=SYSTEM_ACTOR, reason=" ")
        before = tables_of(event)
        take_back_seating(event, by=SYSTEM_ACTOR, reason="the wrong tables")
        assert (tables_of(event), load_busy_tables(fresh(event))) == ([], {})
        assert SeatingTakenBack.objects.get().reason == "the wrong tables"
        seat_next_round(event, by=SYSTEM_ACTOR)
        post_seating(event, by=SYSTEM_ACTOR)
        assert tables_of(event) == before
        assert set(the_hall(event).tables) == {"R1T1-2", "R1T2-2"}

    def test_not_after_its_first_result(self) -> None:
        event = in_play()
        play(event, "R1T1", 0, 10, 20, 30)
        with pytest.raises(Conflict, match="A result is recorded"):
            take_back_seating(event, by=SYSTEM_ACTOR, reason="too late")


class TestTables:
    def test_a_table_is_called_again_and_all_that_wait_in_one_act(self) -> None:
        event = in_play()
        call_match_to_table(the_match(event, "R1T1"), 7, by=SYSTEM_ACTOR)
        with pytest.raises(Conflict, match="busy"):
            call_match_to_table(the_match(event, "R1T2"), 7, by=SYSTEM_ACTOR)
        call_match_to_table(the_match(event, "R1T2"), None, by=SYSTEM_ACTOR)
        assert the_hall(event).tables == {"R1T1": 7}
        assert call_ready_matches(event, 7, 9, by=SYSTEM_ACTOR) == 1
        assert the_hall(event).tables == {"R1T1": 7, "R1T2": 8}

    def test_a_round_takes_the_tables_that_are_free(self) -> None:
        event = in_play(12)
        play(event, "R1T2", 0, 10, 20, 30)
        play(event, "R1T3", 0, 10, 20, 30)
        seat_next_round(event, by=SYSTEM_ACTOR, reason="no time")
        post_seating(event, by=SYSTEM_ACTOR)
        assert the_hall(event).tables == {"R1T1": 1, "R2T1": 2, "R2T2": 3}


class TestTotals:
    def test_low_wins_only_where_the_rules_say_so(self) -> None:
        event = in_play()
        high = play(event, "R1T1", 0, 10, 20, 30)
        with writing(event, verb="rules.saved", by=SYSTEM_ACTOR) as write:
            set_table_rules(write, "Fort Worth", fewest=2, most=5, low_wins=True)
        low = play(event, "R1T2", 0, 10, 20, 30)
        seats = the_hall(event).rounds.rounds[0].tables
        assert (high.winner.number, low.winner.number) == (seats[0].entries[3], seats[1].entries[0])  # type: ignore[union-attr]
        assert {cause for _result, cause in low.credits.values()} == {"played"}

    def test_equal_totals_have_no_winner(self) -> None:
        event = in_play()
        assert play(event, "R1T1", 30, 30, 0, 0).winner is None

    def test_who_left_has_no_points_and_forfeits(self) -> None:
        event = in_play()
        match = the_match(event, "R1T1")
        one, other, *left = the_hall(event).rounds.rounds[0].tables[0].entries
        result = record_table_result(match, {one: 5, other: 9}, by=SYSTEM_ACTOR, reason="two went home")
        assert {number: result.credits[str(number)][1] for number in left} == dict.fromkeys(left, "forfeit")
        assert result.score == {str(one): 5, str(other): 9}

    def test_a_correction_is_a_new_fact_and_the_old_one_stays(self) -> None:
        event = in_play()
        first = play(event, "R1T1", 0, 10, 20, 30)
        second = play(event, "R1T1", 90, 10, 20, 30)
        assert second.supersedes == first
        assert the_hall(event).standings[0].total == 90
        assert AuditEntry.objects.filter(verb="table.decided").count() == 2

    def test_the_second_desk_is_told_of_a_result_it_has_not_seen(self) -> None:
        event = in_play()
        match, entries = the_match(event, "R1T1"), the_hall(event).rounds.rounds[0].tables[0].entries
        totals = dict.fromkeys(entries, 5)
        first = record_table_result(match, totals, by=SYSTEM_ACTOR, reason="paper", key="k", seen=0)
        assert record_table_result(match, totals, by=SYSTEM_ACTOR, reason="paper", key="k", seen=0) == first
        with pytest.raises(Conflict, match="has just recorded a result"):
            record_table_result(match, totals, by=SYSTEM_ACTOR, reason="paper", key="other", seen=0)

    def test_a_table_is_closed_with_its_cause_and_opened_again(self) -> None:
        event = in_play()
        match = the_match(event, "R1T1")
        record_table_result(match, {}, ResultCause.BOTH_ABSENT, by=SYSTEM_ACTOR, reason="nobody came")
        play(event, "R1T2", 0, 10, 20, 30)
        assert the_hall(event).rounds.ready_tables == ()
        record_table_result(match, {}, ResultCause.VOID, by=SYSTEM_ACTOR, reason="they are here after all")
        assert [table.match for table in the_hall(event).rounds.ready_tables] == ["R1T1"]

    def test_a_result_of_four_is_taken_back_and_the_one_before_counts_again(self) -> None:
        event = in_play()
        first = play(event, "R1T1", 0, 10, 20, 30)
        play(event, "R1T1", 90, 10, 20, 30)
        back = undo_result(the_match(event, "R1T1"), by=SYSTEM_ACTOR, reason="the paper was right")
        assert (back.credits, back.score, back.winner) == (first.credits, first.score, first.winner)
        assert the_hall(event).standings[0].total == 30

    def test_a_table_without_a_result_before_is_open_again(self) -> None:
        event = in_play()
        play(event, "R1T1", 0, 10, 20, 30)
        undo_result(the_match(event, "R1T1"), by=SYSTEM_ACTOR, reason="another table's paper")
        assert [table.match for table in the_hall(event).rounds.ready_tables] == ["R1T1", "R1T2"]
        with pytest.raises(Conflict, match="no result to undo"):
            undo_result(the_match(event, "R1T1"), by=SYSTEM_ACTOR, reason="once more")

    def test_the_page_takes_a_result_of_a_table_back(self, client: Client) -> None:
        event = in_play()
        play(event, "R1T1", 0, 10, 20, 30)
        client.force_login(a_user(is_superuser=True))
        where = event_url("pairing:desk_undo", event, "R1T1")
        assert client.get(where).status_code == 200
        seen = MatchResult.objects.get().pk
        page = client.post(where, {"reason": "another table's paper", "seen": seen, "key": "k"})
        assert page.status_code == 200 and "Undo the result of Round 1, group 1" in page.content.decode()

    @pytest.mark.parametrize(
        ("totals", "code"), [({}, "no-totals"), ({99: 5}, "not-a-side"), ({1: 1_000_000}, "bad-total")]
    )
    def test_what_cannot_be_is_refused(self, totals: dict[int, int], code: str) -> None:
        event = in_play()
        with refused(code):
            record_table_result(the_match(event, "R1T1"), totals, by=SYSTEM_ACTOR, reason="paper")
        assert not MatchResult.objects.exists()

    def test_without_a_reason_or_a_known_cause_nothing_is_recorded(self) -> None:
        match = the_match(in_play(), "R1T1")
        with pytest.raises(DomainError, match="Enter the reason"):
            record_table_result(match, {1: 1}, by=SYSTEM_ACTOR, reason="")
        with pytest.raises(DomainError, match="cannot be closed for that reason"):
            record_table_result(match, {}, ResultCause.WALK_OVER, by=SYSTEM_ACTOR, reason="x")


class TestFinish:
    def test_it_finishes_when_every_table_of_every_round_is_decided_and_opens_again(self) -> None:
        event = in_play()
        play_round(event)
        with pytest.raises(Conflict, match="not decided yet"):
            finish_event(event, by=SYSTEM_ACTOR)
        seat_next_round(event, by=SYSTEM_ACTOR)
        post_seating(event, by=SYSTEM_ACTOR)
        play_round(event)
        finish = finish_event(event, by=SYSTEM_ACTOR)
        totals = {one.entry: one.total for one in the_hall(event).standings}
        assert sorted(n for group in finish.places for n in group) == list(range(1, 9))
        assert [totals[group[0]] for group in finish.places] == sorted(set(totals.values()), reverse=True)
        reopen_event(event, by=SYSTEM_ACTOR, reason="a total was wrong")
        play(event, "R2T1", 500, 0, 0, 0)
        assert finish_event(event, by=SYSTEM_ACTOR).places[0] == [the_hall(event).rounds.rounds[1].tables[0].entries[0]]

    def test_the_disqualified_have_no_place(self) -> None:
        event = in_play(rounds=1)
        play_round(event)
        best = the_hall(event).standings[0].entry
        remove_entrant(event.entrants.get(number=best), "disqualified", by=SYSTEM_ACTOR, reason="marked cards")
        finish = finish_event(event, by=SYSTEM_ACTOR)
        assert best not in {number for group in finish.places for number in group}


class TestFewerOrMoreRounds:
    def test_an_event_ends_earlier_or_goes_on_with_a_reason(self) -> None:
        event = in_play(rounds=3)
        play_round(event)
        with pytest.raises(DomainError, match="Enter why you"):
            change_round_count(event, 1, by=SYSTEM_ACTOR, reason="")
        change_round_count(event, 1, by=SYSTEM_ACTOR, reason="the hall closes at ten")
        assert the_hall(event).rounds.is_complete
        change_round_count(event, 2, by=SYSTEM_ACTOR, reason="it does not")
        seat_next_round(event, by=SYSTEM_ACTOR)
        assert fresh(event).plan == plan_of("tables", {"size": 4, "full": False, "rounds": 2})

    def test_not_fewer_than_are_seated_nor_when_it_is_over(self) -> None:
        event = in_play(rounds=1)
        for rounds in (0, 21):
            with refused("bad-rounds"):
                change_round_count(event, rounds, by=SYSTEM_ACTOR, reason="x")
        play_round(event)
        finish_event(event, by=SYSTEM_ACTOR)
        with pytest.raises(Conflict, match="finished"):
            change_round_count(event, 2, by=SYSTEM_ACTOR, reason="x")


def test_matches_and_seats_of_a_seating_that_was_taken_back_stay_on_record() -> None:
    event = in_play()
    take_back_seating(event, by=SYSTEM_ACTOR, reason="again")
    assert Match.objects.filter(event=event).count() == 2
    assert Seating.objects.filter(stage__draw__commitment__event=event).count() == 1
    assert Entrant.objects.filter(event=event, state="in").count() == 8
