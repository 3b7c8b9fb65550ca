"""Results are corrected after later matches were played.

Each correction is previewed, applied exactly as previewed, and can be undone.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

import pytest

from pairing.blind_draw.services import take_back_draw
from pairing.desk.services.pairings import PairsToSend, penalize_entrant
from pairing.desk.services.sending import call_match_to_table
from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.knockout.places import make_placings
from pairing.draws.knockout.progress import BracketMatchState
from pairing.draws.results import ResultCause
from pairing.models import MatchKept, MatchResult
from pairing.results.pages import make_effects_context
from pairing.results.selectors.effects import load_snapshot
from pairing.results.selectors.results import load_correction
from pairing.results.services.corrections import (
    EventPreview,
    bring_back_entrant,
    preview_decision_after_reopening,
    undo_result,
)
from pairing.results.services.finish import finish_event
from pairing.results.services.late_entries import join_stage
from pairing.results.services.results import MatchDecision, decide_match, preview_decision, remove_entrant
from pairing.stages.services.stages import open_next_stage
from tests.factories import an_entrant
from tests.kit import entrant_of, fresh, refused
from tests.pairing.helpers.corrections import a_correction, correct, count_rows, other_way, preview, record
from tests.pairing.helpers.events import a_posted_event, an_event_in_play, play_all, send_pairs, the_match, win
from tests.pairing.helpers.stages import (
    FINALS,
    QUALIFIER,
    course_of,
    decide_ready,
    play_pool,
    pool_of,
    progress_of,
    staged,
    won,
)
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict
from tournament.models import AuditEntry, Entrant, EntrantFact, Event
from tournament.money.services.payouts import pay_prize
from tournament.purse.prizes import CentsRange, TiedPlaces

pytestmark = pytest.mark.django_db
Kind = EntrantFact.Kind


class TestLookingFirst:
    def test_nothing_is_written_by_looking(self) -> None:
        event = an_event_in_play(8)
        play_all(event)
        before = count_rows(event)
        effects = preview(event, other_way(event, "R1M1", R2M1=LaterMatchChoice.KEEP))
        assert effects
        assert count_rows(event) == before

    def test_looking_twice_shows_the_same(self) -> None:
        event = an_event_in_play(8)
        play_all(event)
        decision = other_way(event, "R1M1")
        assert preview(event, decision).digest == preview(event, decision).digest
        assert (
            preview(event, decision).digest
            != preview(event, replace(decision, later_match_choices={"R2M1": LaterMatchChoice.KEEP})).digest
        )

    def test_what_changed_meanwhile_is_told_and_nothing_is_written(self) -> None:
        event = an_event_in_play(8)
        play_all(event)
        decision = other_way(event, "R1M1")
        shown = preview(event, decision).digest
        correct(event, other_way(event, "R3M1"))
        before = count_rows(event)
        act = lambda: decide_match(decision, by=SYSTEM_ACTOR)  # noqa: E731
        with refused("look-again"):
            EventPreview(event).apply(act, shown=shown)
        assert count_rows(event) == before

    def test_sent_twice_it_is_done_once(self) -> None:
        event = an_event_in_play(8)
        play_all(event)
        decision = other_way(event, "R1M1", R2M1=LaterMatchChoice.KEEP)
        shown = preview(event, decision).digest
        act = lambda: decide_match(decision, by=SYSTEM_ACTOR, key="k")  # noqa: E731
        first = EventPreview(event).apply(act, shown=shown)
        before = count_rows(event)
        assert EventPreview(event).apply(act, shown=shown) == first
        assert count_rows(event) == before

    def test_places_and_money_before_and_after_add_up_to_the_pool(self) -> None:
        event = an_event_in_play(8, added_cents=1_001_01)
        play_all(event)
        for ident in ("R3M1", "R2M1", "R1M1"):
            effects = preview(event, other_way(event, ident))
            for snapshot in (effects.before, effects.after):
                won = sum(prize.least for prize in snapshot.won.values())
                assert won + snapshot.not_yet_won_cents == snapshot.pool_cents == 1_001_01
                assert snapshot.not_yet_won_cents >= 0
        final = preview(event, other_way(event, "R3M1"))
        champion, second = progress_of(event).champion, progress_of(event)["R3M1"].losers[0]
        assert {(one.entry, one.before, one.after) for one in final.places} == {
            (champion, (TiedPlaces(1, 1),), (TiedPlaces(2, 2),)),
            (second, (TiedPlaces(2, 2),), (TiedPlaces(1, 1),)),
        }
        assert sum(one.after.least - one.before.least for one in final.money) == 0

    def test_the_first_to_lose_in_a_semifinal_ties_for_third(self) -> None:
        event = an_event_in_play(4, added_cents=1_000_00)
        loser = progress_of(event)["R1M1"].entries[1]
        winner = entrant_of(event, progress_of(event)["R1M1"].entries[0])
        decision = MatchDecision(
            match=the_match(event, "R1M1"), winner=winner, cause=ResultCause.FORFEIT, reason="no-show"
        )
        effects = preview(event, decision)
        assert [(one.entry, one.after) for one in effects.places] == [(loser, (TiedPlaces(3, 4),))]
        assert [(one.entry, one.after) for one in effects.money] == [(loser, CentsRange(100_00, 100_00))]

    def test_a_player_who_withdraws_before_the_final_is_second(self) -> None:
        event = an_event_in_play(4, added_cents=1_000_00)
        win(event, "R1M1")
        finalist = progress_of(event)["R1M1"].winner
        assert finalist is not None
        remove = partial(remove_entrant, entrant_of(event, finalist), "withdrawn", by=SYSTEM_ACTOR, reason="ill")
        rows = make_effects_context(EventPreview(event).preview(remove))
        assert [(row.before, row.after) for row in rows["places"]] == [("–", "2")]
        assert [row["after"].least for row in rows["money"]] == [300_00]

    def test_a_table_where_others_sit_now_is_named(self) -> None:
        event = an_event_in_play(4)
        win(event, "R1M1")
        win(event, "R1M2")
        call_match_to_table(the_match(event, "R2M1"), 7, by=SYSTEM_ACTOR)
        effects = preview(event, other_way(event, "R1M1"))
        called = [change for change in effects.matches if change.frees_table]
        assert [(change.ident, change.before.table) for change in called if change.before] == [("R2M1", 7)]

    def test_a_match_that_is_at_a_table_can_be_kept_as_it_sits(self) -> None:
        event = an_event_in_play(4)
        win(event, "R1M1")
        win(event, "R1M2")
        call_match_to_table(the_match(event, "R2M1"), 7, by=SYSTEM_ACTOR)
        sits = progress_of(event)["R2M1"].entries
        assert preview_decision(other_way(event, "R1M1"))[1].affected_matches == ("R2M1",)
        correct(event, other_way(event, "R1M1", R2M1=LaterMatchChoice.KEEP))
        assert progress_of(event)["R2M1"].entries == sits
        win(event, "R2M1")
        assert progress_of(event).champion == sits[0]

    def test_a_draw_that_is_taken_back(self) -> None:
        event = a_posted_event(4)
        before = count_rows(event)
        effects = EventPreview(event).preview(
            lambda: take_back_draw(event, by=SYSTEM_ACTOR, reason="the list was wrong")
        )
        assert [(change.ident, change.after) for change in effects.matches] == [
            (ident, None) for ident in ("R1M1", "R1M2", "R2M1")
        ]
        assert count_rows(event) == before


class TestChoices:
    def test_kept_the_later_match_stays_and_so_do_all_places(self) -> None:
        event = an_event_in_play(8, added_cents=500_00)
        play_all(event)
        before, snapshot = progress_of(event), load_snapshot(event)
        result = correct(event, other_way(event, "R1M1", R2M1=LaterMatchChoice.KEEP))
        after = progress_of(event)
        assert after["R1M1"].winner != before["R1M1"].winner
        assert after["R2M1"].entries == before["R2M1"].entries
        assert after.champion == before.champion
        assert make_placings(after) == make_placings(before)
        assert load_snapshot(event).won == snapshot.won
        kept = MatchKept.objects.get()
        assert (kept.match.ident, kept.result) == ("R2M1", result)
        entry = AuditEntry.objects.latest("seq")
        assert entry.data["choices"] == {"R2M1": "keep"}
        assert entry.data["added"] == ["R2M1 kept"]

    def test_replayed_it_is_open_for_whoever_stands_there_now(self) -> None:
        event = an_event_in_play(8)
        play_all(event)
        correct(event, other_way(event, "R1M1", R2M1=LaterMatchChoice.REPLAY))
        progress = progress_of(event)
        assert progress["R2M1"].state is BracketMatchState.READY
        assert progress["R1M1"].winner in progress["R2M1"].entries
        assert not MatchKept.objects.exists()

    def test_void_it_does_not_come_back_and_replayed_it_does(self) -> None:
        for choice, state in (
            (LaterMatchChoice.VOID, BracketMatchState.READY),
            (LaterMatchChoice.REPLAY, BracketMatchState.DECIDED),
        ):
            event = an_event_in_play(4)
            play_all(event)
            correct(event, other_way(event, "R1M1", R2M1=choice))
            correct(event, other_way(event, "R1M1"))
            assert progress_of(event)["R2M1"].state is state

    def test_corrected_back_all_is_as_it_was(self) -> None:
        event = an_event_in_play(8)
        play_all(event)
        before = progress_of(event)
        correct(event, other_way(event, "R1M1", R2M1=LaterMatchChoice.KEEP))
        correct(event, other_way(event, "R1M1"))
        after = progress_of(event)
        assert {name: view.entries for name, view in after.views.items()} == {
            name: view.entries for name, view in before.views.items()
        }
        assert after.champion == before.champion
        assert not any(side.kept for view in after.views.values() for side in view.sides)

    def test_a_match_that_is_played_again_keeps_nothing(self) -> None:
        event = an_event_in_play(4)
        play_all(event)
        void = replace(other_way(event, "R1M1", R2M1=LaterMatchChoice.KEEP), winner=None, cause=ResultCause.VOID)
        with refused("keep-needs-result"):
            decide_match(void, by=SYSTEM_ACTOR)

    def test_a_correction_of_the_cause_alone_touches_no_later_match(self) -> None:
        event = an_event_in_play(4)
        play_all(event)
        winner = progress_of(event)["R1M1"].winner
        assert winner is not None
        same = replace(other_way(event, "R1M1"), winner=entrant_of(event, winner), cause=ResultCause.TIME)
        assert preview_decision(same)[1].affected_matches == ()
        assert [change.ident for change in preview(event, same).matches] == ["R1M1"]

    def test_the_first_word_on_a_match_needs_no_look(self) -> None:
        event = an_event_in_play(4)
        number = progress_of(event)["R1M1"].entries[0]
        match, winner = the_match(event, "R1M1"), entrant_of(event, number)
        decision = MatchDecision(match=match, winner=winner, cause=ResultCause.NO_SHOW, reason="called thrice")
        decide_match(decision, by=SYSTEM_ACTOR)
        with refused("touches-later"):
            decide_match(decision, by=SYSTEM_ACTOR)


class TestUndo:
    def test_the_last_result_is_taken_back_with_what_was_chosen(self) -> None:
        event = an_event_in_play(8)
        play_all(event)
        before = progress_of(event)
        for choice in (LaterMatchChoice.KEEP, LaterMatchChoice.VOID, LaterMatchChoice.REPLAY):
            correct(event, other_way(event, "R1M1", R2M1=choice, R3M1=LaterMatchChoice.REPLAY))
            undo_result(the_match(event, "R1M1"), by=SYSTEM_ACTOR, reason="it was right")
            after = progress_of(event)
            assert {name: (view.entries, view.winner) for name, view in after.views.items()} == {
                name: (view.entries, view.winner) for name, view in before.views.items()
            }
            assert not any(side.kept for view in after.views.values() for side in view.sides)
        assert the_match(event, "R1M1").results.order_by("pk").last().score == {  # type: ignore[union-attr]
            str(number): points for number, points in zip(before["R1M1"].entries, (150, 98), strict=True)
        }

    def test_the_only_result_taken_back_leaves_the_match_open(self) -> None:
        event = an_event_in_play(4)
        win(event, "R1M1")
        undo_result(the_match(event, "R1M1"), by=SYSTEM_ACTOR, reason="the wrong match", key="k")
        undo_result(the_match(event, "R1M1"), by=SYSTEM_ACTOR, reason="the wrong match", key="k")
        assert progress_of(event)["R1M1"].state is BracketMatchState.READY
        with refused("no-result"):
            undo_result(the_match(event, "R1M1"), by=SYSTEM_ACTOR, reason="again")
        with refused("reason-needed"):
            undo_result(the_match(event, "R1M1"), by=SYSTEM_ACTOR, reason=" ")


class TestBackIn:
    def test_an_open_walk_over_is_a_match_again(self) -> None:
        event = an_event_in_play(4)
        before = progress_of(event)
        gone = before["R1M1"].entries[0]
        remove_entrant(entrant_of(event, gone), Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="taken ill")
        effects = EventPreview(event).preview(
            lambda: bring_back_entrant(entrant_of(event, gone), by=SYSTEM_ACTOR, reason="well again")
        )
        assert [change.ident for change in effects.matches] == ["R1M1", "R2M1"]
        bring_back_entrant(entrant_of(event, gone), by=SYSTEM_ACTOR, reason="well again", key="k")
        bring_back_entrant(entrant_of(event, gone), by=SYSTEM_ACTOR, reason="well again", key="k")
        assert progress_of(event).views == before.views
        assert entrant_of(event, gone).state == Entrant.State.IN
        with refused("not-out"):
            bring_back_entrant(entrant_of(event, gone), by=SYSTEM_ACTOR, reason="again")

    def test_a_walk_over_after_which_the_opponent_played_on_stands(self) -> None:
        event = an_event_in_play(8)
        gone, went_on = progress_of(event)["R1M1"].entries
        remove_entrant(entrant_of(event, gone), Kind.NO_SHOW, by=SYSTEM_ACTOR, reason="not seen")
        win(event, "R1M2")
        win(event, "R2M1")
        before = progress_of(event)
        bring_back_entrant(entrant_of(event, gone), by=SYSTEM_ACTOR, reason="was at the other hall")
        after = progress_of(event)
        assert after["R1M1"].winner == went_on
        assert not after["R1M1"].is_decided_without_result
        assert after["R2M1"].outcome == before["R2M1"].outcome
        assert after.removed == {}

    def test_not_before_the_draw_nor_who_was_left_out_of_it(self) -> None:
        event = an_event_in_play(4)
        late = an_entrant(event, "Too Late", number=9, state=Entrant.State.REMOVED)
        with refused("not-in-draw"):
            bring_back_entrant(late, by=SYSTEM_ACTOR, reason="let them in")


class TestPools:
    def two_rounds(self) -> Event:
        event = staged(4, QUALIFIER, FINALS)
        send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
        won(event, "G1", 1, 2)
        won(event, "G2", 3, 4)
        send_pairs(event, PairsToSend(pairs=((1, 3), (2, 4))), by=SYSTEM_ACTOR)
        return event

    def decision(
        self, event: Event, ident: str, winner: int | None, cause: ResultCause = ResultCause.PLAYED
    ) -> MatchDecision:
        one = entrant_of(event, winner) if winner is not None else None
        return MatchDecision(match=the_match(event, ident), winner=one, cause=cause, reason="misread", override=True)

    def test_later_games_stand_and_their_records_are_told(self) -> None:
        event = self.two_rounds()
        decision = self.decision(event, "G1", 2)
        outcome, found = preview_decision(decision)
        assert found.affected_matches == ("G3", "G4")
        then = load_correction(event, decision.match, outcome).games
        assert [(one.game.ident, *by) for one in then for by in one.wrong_records] == [
            ("G3", 1, "1–0", "0–1"),
            ("G4", 2, "0–1", "1–0"),
        ]
        effects = preview(event, decision)
        assert [change.ident for change in effects.matches] == ["G1"]
        assert {one.entry for one in effects.standings} >= {1, 2}
        correct(event, decision)
        assert record(event, 2) == "1–0"
        assert course_of(event).current_stage.matches["G3"].meeting.sides == (1, 3)

    def test_a_penalty_costs_one_a_game_and_owes_the_other_one(self) -> None:
        event = self.two_rounds()
        correct(event, self.decision(event, "G3", 1, ResultCause.PENALTY))
        assert (record(event, 1), record(event, 3)) == ("1–0", "1–1")
        assert MatchResult.objects.latest("pk").winner is None
        assert 1 in pool_of(event).qualifying.ready_entries

    def test_a_result_typed_for_the_wrong_game_is_taken_back_and_they_play_on(self) -> None:
        event = self.two_rounds()
        won(event, "G3", 1, 3)
        undo_result(the_match(event, "G3"), by=SYSTEM_ACTOR, reason="they still play")
        assert pool_of(event).qualifying[1].record.playing == ("G3",)
        with refused("no-result"):
            undo_result(the_match(event, "G3"), by=SYSTEM_ACTOR, reason="again")
        won(event, "G3", 3, 1)
        assert record(event, 3) == "2–0"

    def test_a_penalty_outside_any_match_is_taken_back(self) -> None:
        event = self.two_rounds()
        match = penalize_entrant(entrant_of(event, 1), by=SYSTEM_ACTOR, reason="for an unmatched game")
        assert match.ident == "X1"
        undo_result(the_match(event, "X1"), by=SYSTEM_ACTOR, reason="it was somebody else")
        assert record(event, 1) == "1–0"

    def test_who_would_be_in_the_next_stage_is_told_when_it_is_open(self) -> None:
        event = staged(8, {"kind": "swiss", "rounds": 3, "best": 4}, {"kind": "single-elimination"})
        play_pool(event, random.Random(4))
        stage = open_next_stage(event, by=SYSTEM_ACTOR)
        course = course_of(event)
        changed = []
        for ident, match in course.stages[0].matches.items():
            loser = next(iter(set(match.meeting.sides) - {match.meeting.outcome.winner}), None)  # type: ignore[union-attr]
            if loser is None:
                continue
            effects = preview(event, self.decision(event, ident, loser))
            assert not any(change.ident.startswith("R") for change in effects.matches)
            changed += [
                one
                for one in effects.standings
                if one.before and one.after and one.before.advances != one.after.advances
            ]
        assert changed
        assert stage.entries == course_of(event).current_stage.row.entries

    def test_a_late_entry_starts_with_no_games(self) -> None:
        event = self.two_rounds()
        late = an_entrant(event, "Came Late", number=9)
        effects = EventPreview(event).preview(lambda: join_stage(late, by=SYSTEM_ACTOR, reason="the train"))
        assert [(one.entry, one.before) for one in effects.standings if one.before is None] == [(9, None)]
        join_stage(late, by=SYSTEM_ACTOR, reason="the train")
        assert record(event, 9) == "0–0"


class TestDoubleElimination:
    def played(self) -> Event:
        event, dice = (
            staged(8, {"kind": "swiss", "rounds": 2}, {"kind": "double-elimination", "seeded": True}),
            random.Random(2),
        )
        play_pool(event, dice)
        open_next_stage(event, by=SYSTEM_ACTOR)
        for _turn in range(3):
            decide_ready(event, dice)
        return event

    def test_both_matches_of_the_two_are_kept_or_neither(self) -> None:
        event = self.played()
        before = progress_of(event)
        decision = other_way(event, "W1M1")
        outcome, found = preview_decision(decision)
        assert {"W2M1", "L1M1"} <= set(found.affected_matches)
        one = replace(decision, later_match_choices={"W2M1": LaterMatchChoice.KEEP})
        with refused("torn"):
            decide_match(one, by=SYSTEM_ACTOR)
        correct(
            event, replace(decision, later_match_choices=dict.fromkeys(found.affected_matches, LaterMatchChoice.KEEP))
        )
        after = progress_of(event)
        assert after["W1M1"].outcome == outcome
        assert {name: view.entries for name, view in after.views.items()} == {
            name: view.entries for name, view in before.views.items()
        }


class TestPlayOff:
    def test_a_corrected_play_off_goes_on_with_others_and_the_old_match_stays_on_record(self) -> None:
        event = staged(6, {"kind": "swiss", "rounds": 1}, {"kind": "play-off", "places": 4}, FINALS)
        dice = random.Random(1)
        play_pool(event, dice)
        open_next_stage(event, by=SYSTEM_ACTOR)
        stage = course_of(event).current_stage
        ident = stage.ready_matches[0]
        one, other = stage.matches[ident].meeting.sides
        won(event, ident, one, other)
        correct(event, a_correction(event, ident, other))
        outcome = course_of(event).current_stage.matches[ident].meeting.outcome
        assert outcome is not None and outcome.winner == other


class TestFinished:
    def test_what_a_correction_would_change_is_shown_with_the_prizes_handed_over(self) -> None:
        event = an_event_in_play(4, added_cents=1_000_00)
        play_all(event)
        decision = other_way(event, "R2M1")
        finish_event(event, by=SYSTEM_ACTOR)
        champion, second = progress_of(event).champion, progress_of(event)["R2M1"].losers[0]
        assert champion is not None
        pay_prize(entrant_of(event, champion), "cash", by=SYSTEM_ACTOR)
        before = count_rows(event)
        decision = replace(decision, match=the_match(event, "R2M1"))
        effects = preview_decision_after_reopening(decision)
        assert {(one.entry, one.before, one.after) for one in effects.money} == {
            (champion, CentsRange(500_00, 500_00), CentsRange(300_00, 300_00)),
            (second, CentsRange(300_00, 300_00), CentsRange(500_00, 500_00)),
        }
        assert [(one.entry, paid, one.after.least) for one, paid in effects.changed_paid_prizes] == [
            (champion, 500_00, 300_00)
        ]
        assert count_rows(event) == before
        assert fresh(event).state == Event.State.FINISHED

    def test_it_is_opened_again_before_it_is_corrected(self) -> None:
        event = an_event_in_play(4)
        play_all(event)
        decision = other_way(event, "R2M1")
        finish_event(event, by=SYSTEM_ACTOR)
        with pytest.raises(Conflict):
            preview(fresh(event), decision)
