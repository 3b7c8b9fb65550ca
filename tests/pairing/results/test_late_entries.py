"""Late entries and penalties are previewed before they are applied.

The director decides how the games that a late entry missed count.
"""

from __future__ import annotations

import random

import pytest

from pairing.desk.services.sending import change_desk_settings
from pairing.draws.cases.drawn_reasons import LATE_ENTRY_REASON
from pairing.draws.desk.desk import DeskTerms, MissedGamesPolicy
from pairing.models import MatchResult
from pairing.results.selectors.late_entries import load_late_entry_terms
from pairing.results.services.corrections import undo_result
from pairing.results.services.late_entries import join_stage
from pairing.results.services.results import remove_entrant
from pairing.stages.selectors.boards import explain_pairings
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.services.stages import open_next_stage
from tests.factories import an_entrant
from tests.kit import client_as, entrant_of, event_url, fresh, refused
from tests.pairing.helpers.corrections import a_correction, correct, count_rows, record
from tests.pairing.helpers.desk import end_games, look, send_all
from tests.pairing.helpers.effects import look_and_do
from tests.pairing.helpers.events import the_match
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, decide_ready, play_pool, pool_of, staged, won
from tests.prebuilt import prebuilt
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, EntrantFact, Event

pytestmark = pytest.mark.django_db
SWISS = {"kind": "swiss", "rounds": 3}
GROUPS = {"kind": "round-robin", "groups": 2, "best": 1}


@prebuilt
def came_late(event: Event, number: int = 99) -> Entrant:
    an_entrant(event, "Came Late", number=number)
    return entrant_of(event, number)


@prebuilt
def after_two_rounds() -> Event:
    event = staged(4, SWISS)
    for first in (1, 3):
        send_all(client_as("director", event), event)
        end_games(event, f"G{first}", f"G{first + 1}")
    return event


class TestWhatWasMissed:
    @pytest.mark.parametrize(
        ("counts_as", "said", "byes"),
        [(MissedGamesPolicy.LOSS, "0–2", 0), (MissedGamesPolicy.BYE, "2–0", 2), (MissedGamesPolicy.NONE, "0–0", 0)],
    )
    def test_rounds_that_were_missed_count_as_the_director_says_and_one_is_left(
        self, counts_as: MissedGamesPolicy, said: str, byes: int
    ) -> None:
        event = after_two_rounds()
        join_stage(came_late(event), by=SYSTEM_ACTOR, reason="the plane", missed=2, counts_as=counts_as)
        pool = pool_of(event)
        joined = pool.qualifying[99]
        assert (record(event, 99), joined.record.byes, joined.record.games) == (said, byes, 2)
        assert joined.why.endswith("1 game left") and pool.max_started_games == 2
        play_pool(event, random.Random(1))
        assert course_of(event).current_stage.is_complete

    def test_each_stands_among_the_results_with_its_reason_and_can_be_taken_back(self) -> None:
        event = after_two_rounds()
        join_stage(came_late(event), by=SYSTEM_ACTOR, reason="the plane", missed=2)
        assert set(MatchResult.objects.filter(match__ident__in=["G5", "G6"]).values_list("reason", flat=True)) == {
            "the plane"
        }
        undo_result(the_match(event, "G6"), by=SYSTEM_ACTOR, reason="they were there for round two")
        assert record(event, 99) == "0–1"

    def test_a_loss_beforehand_counts_in_the_record_qualifier(self) -> None:
        event = staged(4, QUALIFIER, FINALS)
        join_stage(came_late(event), by=SYSTEM_ACTOR, reason="overslept", missed=1)
        pool = course_of(event).pool
        assert pool is not None and pool.qualifying[99].why == "0–1: 4 games left"

    def test_what_is_usual_comes_from_the_rounds_and_the_settings(self) -> None:
        event = after_two_rounds()
        change_desk_settings(event, DeskTerms(missed=MissedGamesPolicy.BYE), by=SYSTEM_ACTOR)
        late = load_late_entry_terms(fresh(event))
        assert late is not None and (late.default_missed_games, late.max_missed_games, late.missed_games_policy) == (
            2,
            2,
            MissedGamesPolicy.BYE,
        )
        pool = load_late_entry_terms(fresh(staged(4, QUALIFIER, FINALS)))
        assert pool is not None and (pool.default_missed_games, pool.max_missed_games) == (0, 4)

    def test_no_more_than_leave_one_to_play(self) -> None:
        event = after_two_rounds()
        late = came_late(event)
        with refused("too-many-missed"):
            join_stage(late, by=SYSTEM_ACTOR, reason="x", missed=3)

    def test_where_others_are_checked_in_a_late_entry_is_too(self) -> None:
        event = staged(4, QUALIFIER, FINALS)
        join_stage(came_late(event), by=SYSTEM_ACTOR, reason="the plane")
        assert entrant_of(event, 99).arrived
        assert "Came Late" in look(client_as("director", event), event)


class TestALaterPool:
    def second_pool(self) -> Event:
        """Return an event whose second pool is open. In the first pool, entries 1 to 4 played one game each.

        The two winners advanced.
        """
        event = staged(4, {"kind": "fixed", "games": 1, "best": 2}, {"kind": "swiss", "rounds": 2})
        send_all(client_as("director", event), event)
        end_games(event, "G1", "G2")
        open_next_stage(fresh(event), by=SYSTEM_ACTOR)
        return event

    def test_whoever_did_not_go_on_is_neither_listed_nor_let_in(self) -> None:
        event = self.second_pool()
        inside = set(course_of(event).current_stage.row.entries)
        left = next(number for number in (1, 2, 3, 4) if number not in inside)
        late = load_late_entry_terms(fresh(event))
        assert late is not None and late.numbers == ()
        page_of_it = client_as("director", event).get(event_url("pairing:desk_late", event)).content.decode()
        assert "There is no entrant who could join" in page_of_it
        with refused("did-not-go-on"):
            join_stage(entrant_of(event, left), by=SYSTEM_ACTOR, reason="x")

    def test_whoever_should_have_gone_on_by_a_corrected_result_can_be_let_in(self) -> None:
        event = self.second_pool()
        sides = course_of(event).stages[0].matches["G1"].meeting.sides
        loser = max(sides)
        correct(event, a_correction(event, "G1", loser))
        late = load_late_entry_terms(fresh(event))
        assert late is not None and late.numbers == (loser,)
        join_stage(entrant_of(event, loser), by=SYSTEM_ACTOR, reason="the card was read wrongly")
        pool = course_of(event).pool
        assert pool is not None and loser in pool.qualifying.ready_entries


class TestThePages:
    def test_a_late_entry_is_looked_at_with_what_it_has_missed_and_done_exactly_so(self) -> None:
        event = after_two_rounds()
        late, client = came_late(event), client_as("desk", event)
        fields = {"late-entrant": str(late.pk), "late-games": "2", "late-counts_as": "loss"}
        fields |= {"late-reason": "the plane", "late-key": "k"}
        before = count_rows(event)
        said = client.post(event_url("pairing:desk_late", event), {**fields, "act": "look"}).content.decode()
        assert "0–2: 1 game left" in said and count_rows(event) == before
        assert said.count("Came Late: loss, no-show") == 2
        _said, done = look_and_do(client, event_url("pairing:desk_late", event), fields)
        assert done.status_code == 302 and record(event, 99) == "0–2"

    def test_a_penalty_is_looked_at_by_a_director_and_done(self) -> None:
        event = staged(4, QUALIFIER, FINALS)
        assert client_as("desk", event).get(event_url("pairing:desk_penalty", event)).status_code == 403
        client, fields = client_as("director", event), {"penalty-number": "3", "penalty-key": "p"}
        assert client.post(event_url("pairing:desk_penalty", event), fields).status_code == 422
        unknown = {**fields, "penalty-number": "77", "penalty-reason": "for an unmatched game"}
        assert (
            "There is no entrant with this number. Look at the list of entrants."
            in client.post(event_url("pairing:desk_penalty", event), unknown).content.decode()
        )
        fields |= {"penalty-reason": "for an unmatched game"}
        said, done = look_and_do(client, event_url("pairing:desk_penalty", event), fields)
        assert "0–1" in said and done.status_code == 302 and record(event, 3) == "0–1"

    def test_the_desk_leads_to_both(self) -> None:
        event = staged(4, QUALIFIER, FINALS)
        said = look(client_as("director", event), event)
        assert event_url("pairing:desk_late", event) in said and event_url("pairing:desk_penalty", event) in said
        assert event_url("pairing:desk_penalty", event) not in look(client_as("desk", event), event)


class TestGroups:
    def test_a_late_entry_plays_everybody_of_the_smallest_group(self) -> None:
        event, dice = staged(7, GROUPS, FINALS), random.Random(4)
        smallest = min(course_of(event).current_stage.row.record["groups"], key=len)
        for ident in course_of(event).current_stage.ready_matches[:2]:
            match = course_of(event).current_stage.matches[ident]
            won(event, ident, *match.meeting.sides)
        join_stage(came_late(event), by=SYSTEM_ACTOR, reason="the plane")
        stage = course_of(event).current_stage
        assert stage.pool is not None
        met = [match.meeting.get_opponent(99) for match in stage.matches.values() if 99 in match.meeting.sides]
        assert sorted(met) == sorted(smallest)
        assert [len(part.entries) for part in stage.pool.parts] == [4, 4]
        drawn = explain_pairings(stage)
        assert all(one.is_reproducible for one in drawn)
        assert [why for one in drawn for entry, why in one.members if entry == 99] == [LATE_ENTRY_REASON]
        while not course_of(event).current_stage.is_complete:
            decide_ready(event, dice)
        assert len(open_next_stage(event, by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut="7H")).entries) == 2
        assert [check.finding for check in verify_event(fresh(event)) if not check.passed] == []

    def test_who_is_out_already_loses_to_it_and_the_groups_are_over_only_after_it_has_played(self) -> None:
        event, dice = staged(4, {"kind": "round-robin"}), random.Random(4)
        while not course_of(event).current_stage.is_complete:
            decide_ready(event, dice)
        gone = entrant_of(event, 3)
        remove_entrant(gone, EntrantFact.Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="taken ill")
        join_stage(came_late(event), by=SYSTEM_ACTOR, reason="the plane")
        assert len(course_of(event).current_stage.ready_matches) == 3 and record(event, 99) == "1–0"

    def test_the_page_shows_the_games_that_come_of_it(self) -> None:
        event = staged(4, {"kind": "round-robin"})
        came_late(event)
        client = client_as("director", event)
        desk = client.get(event_url("pairing:desk_pairing", event)).content.decode()
        assert event_url("pairing:desk_late", event) in desk
        assert "one of them has an earlier game" in desk and "needs a table" not in desk
        assert (
            "So many games count as over before"
            not in client.get(event_url("pairing:desk_late", event)).content.decode()
        )
        fields = {"late-entrant": str(entrant_of(event, 99).pk), "late-reason": "the plane", "late-key": "k"}
        said, done = look_and_do(client, event_url("pairing:desk_late", event), fields)
        assert said.count("Came Late: to be played") == 4 and done.status_code == 302
        assert len(course_of(event).current_stage.ready_matches) == 10
