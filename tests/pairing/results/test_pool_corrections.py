"""A game in a pool is corrected after later games were paired because of its result.

Each later game is kept, replayed, or voided.
"""

from __future__ import annotations

import pytest

from pairing.desk.selectors.desk import load_pairing_desk
from pairing.desk.services.pairings import give_bye
from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.results import ResultCause
from pairing.models import MatchResult, TableCall
from pairing.results.selectors.results import load_correction
from pairing.results.services.corrections import EventPreview, undo_result
from pairing.results.services.results import MatchDecision, decide_match, preview_decision
from pairing.stages.services.stages import open_next_stage, take_back_stage
from tests.kit import client_as, entrant_of, event_url, fresh, refused
from tests.pairing.helpers.corrections import a_correction, correct, count_rows, record, send, two_rounds
from tests.pairing.helpers.effects import digest_in, look_and_do
from tests.pairing.helpers.events import the_match
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged, won
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db


def ready(event: Event) -> set[str]:
    return set(course_of(event).current_stage.ready_matches)


class TestKeepReplayVoid:
    def test_what_nobody_chooses_stands(self) -> None:
        event = two_rounds()
        correct(event, a_correction(event))
        assert [record(event, entry) for entry in (1, 2, 3, 4)] == ["1–1", "2–0", "1–1", "0–2"]
        assert MatchResult.objects.filter(match__ident__in=["G3", "G4"]).count() == 2

    def test_replayed_the_same_two_play_again_and_it_goes_to_a_table_anew(self) -> None:
        event = two_rounds()
        correct(event, a_correction(event, G3=LaterMatchChoice.REPLAY))
        assert ready(event) == {"G3"}
        assert course_of(event).current_stage.matches["G3"].meeting.sides == (1, 3)
        assert [record(event, entry) for entry in (1, 2, 3, 4)] == ["0–1", "2–0", "1–0", "0–2"]
        desk = load_pairing_desk(fresh(event))
        assert desk is not None and [game.ident for game, _table in desk.next_calls] == ["G3"]
        won(event, "G3", 3, 1)
        assert record(event, 1) == "0–2"

    def test_void_gives_nobody_anything_and_both_wait(self) -> None:
        event = two_rounds()
        correct(event, a_correction(event, G3=LaterMatchChoice.VOID))
        pool = course_of(event).pool
        assert pool is not None and ready(event) == set()
        assert [record(event, entry) for entry in (1, 3)] == ["0–1", "1–0"]
        assert {1, 3} <= set(pool.qualifying.ready_entries)

    def test_a_game_that_is_being_played_is_broken_off_or_played_on(self) -> None:
        event = staged(4, QUALIFIER, FINALS)
        send(event, (1, 2), (3, 4))
        won(event, "G1", 1, 2)
        won(event, "G2", 3, 4)
        send(event, (1, 3), tables=(7,))
        correct(event, a_correction(event, G3=LaterMatchChoice.REPLAY))
        assert ready(event) == {"G3"}
        correct(event, a_correction(event, winner=1, G3=LaterMatchChoice.VOID))
        assert ready(event) == {"G3"}, "by the old result it was paired: nothing is touched"
        correct(event, a_correction(event, winner=2, G3=LaterMatchChoice.VOID))
        assert ready(event) == set()
        desk = load_pairing_desk(fresh(event))
        assert desk is not None and not desk.busy_tables

    def test_the_record_has_one_act_with_its_choices(self) -> None:
        event = two_rounds()
        version = fresh(event).version
        result = correct(event, a_correction(event, G3=LaterMatchChoice.REPLAY, G4=LaterMatchChoice.VOID))
        assert fresh(event).version == version + 1
        again = MatchResult.objects.filter(match__ident__in=["G3", "G4"], at=result.at)
        assert {(one.match.ident, bool(one.credits)) for one in again} == {("G3", False), ("G4", True)}
        assert {one.reason for one in again} == {"misread"}

    def test_undone_the_games_count_again_unless_they_were_played_since(self) -> None:
        event = two_rounds()
        correct(event, a_correction(event, G3=LaterMatchChoice.REPLAY, G4=LaterMatchChoice.VOID))
        undo_result(the_match(event, "G1"), by=SYSTEM_ACTOR, reason="it was right")
        assert [record(event, entry) for entry in (1, 2, 3, 4)] == ["2–0", "1–1", "1–1", "0–2"]
        correct(event, a_correction(event, G3=LaterMatchChoice.REPLAY))
        won(event, "G3", 3, 1)
        undo_result(the_match(event, "G1"), by=SYSTEM_ACTOR, reason="it was right")
        assert record(event, 3) == "2–0"

    def test_taken_back_it_has_the_same_choices(self) -> None:
        event = two_rounds()
        undo_result(
            the_match(event, "G1"),
            by=SYSTEM_ACTOR,
            reason="the wrong card",
            choices={"G3": LaterMatchChoice.REPLAY, "G4": LaterMatchChoice.VOID},
        )
        assert ready(event) == {"G1", "G3"}
        assert [record(event, entry) for entry in (1, 2, 3, 4)] == ["0–0", "0–0", "1–0", "0–1"]

    def test_undone_twice_with_a_result_between_the_game_is_open(self) -> None:
        event = two_rounds()
        undo_result(the_match(event, "G1"), by=SYSTEM_ACTOR, reason="the wrong card")
        won(event, "G1", 2, 1)
        undo_result(the_match(event, "G1"), by=SYSTEM_ACTOR, reason="the wrong card again")
        assert ready(event) == {"G1"}

    def test_a_bye_by_that_record_is_kept_or_taken_back(self) -> None:
        event = staged(3, QUALIFIER, FINALS)
        send(event, (1, 2))
        won(event, "G1", 1, 2)
        give_bye(entrant_of(event, 2), by=SYSTEM_ACTOR, reason="nobody to play")
        decision = a_correction(event, G2=LaterMatchChoice.VOID)
        assert preview_decision(decision)[1].affected_matches == ("G2",)
        correct(event, decision)
        assert record(event, 2) == "1–0"


class TestWhatIsTouched:
    def test_played_again_it_touches_those_paired_by_it_in_turn(self) -> None:
        event = two_rounds()
        send(event, (2, 3))
        match, outcome = the_match(event, "G1"), preview_decision(a_correction(event))[0]
        assert load_correction(event, match, outcome).affected_matches == ("G3", "G4", "G5")
        other = staged(6, QUALIFIER, FINALS)
        send(other, (1, 2), (3, 4), (5, 6))
        for ident, low, high in (("G1", 1, 2), ("G2", 3, 4), ("G3", 5, 6)):
            won(other, ident, low, high)
        send(other, (1, 3))
        won(other, "G4", 1, 3)
        send(other, (3, 5))
        match, outcome = the_match(other, "G1"), preview_decision(a_correction(other))[0]
        assert load_correction(other, match, outcome).affected_matches == ("G4",)
        again = load_correction(other, match, outcome, {"G4": LaterMatchChoice.REPLAY})
        assert again.affected_matches == ("G4", "G5")

    def test_corrected_back_it_touches_what_was_paired_by_the_wrong_result_only(self) -> None:
        event = staged(4, QUALIFIER, FINALS)
        send(event, (1, 2), (3, 4))
        won(event, "G1", 2, 1)
        won(event, "G2", 3, 4)
        send(event, (2, 3))
        correct(event, a_correction(event, winner=1))
        send(event, (1, 4))
        decision = a_correction(event, winner=2)
        assert preview_decision(decision)[1].affected_matches == ("G4",)

    def test_groups_are_fixed_and_nothing_was_paired_by_a_result(self) -> None:
        event = staged(4, {"kind": "round-robin", "groups": 1})
        ident = course_of(event).current_stage.ready_matches[0]
        low, high = sorted(course_of(event).current_stage.matches[ident].meeting.sides)
        won(event, ident, low, high)
        later = next(name for name in course_of(event).current_stage.ready_matches if name != ident)
        won(event, later, *sorted(course_of(event).current_stage.matches[later].meeting.sides))
        assert preview_decision(a_correction(event, ident, high))[1].affected_matches == ()

    def test_open_again_and_decided_otherwise_is_looked_at_first(self) -> None:
        event = two_rounds()
        undo_result(the_match(event, "G1"), by=SYSTEM_ACTOR, reason="the wrong card")
        before = count_rows(event)
        decision = MatchDecision(
            match=the_match(event, "G1"), winner=entrant_of(event, 2), cause=ResultCause.PLAYED, reason="x"
        )
        with refused("touches-later"):
            decide_match(decision, by=SYSTEM_ACTOR)
        assert count_rows(event) == before


class TestTheNextStageIsOpen:
    def finals(self) -> Event:
        event = two_rounds({"kind": "fixed", "games": 2, "best": 2}, {"kind": "single-elimination", "seeded": True})
        open_next_stage(event, by=SYSTEM_ACTOR)
        return event

    def wrong(self, event: Event) -> tuple[str, int]:
        """Return a game, and an entry that advanced because of its result.

        Once the game is corrected, the entry has lost both of its games.
        """
        second = next(entry for entry in course_of(event).current_stage.row.entries if entry != 1)
        return ("G4" if second == 2 else "G2"), second

    def test_who_would_not_be_in_it_and_who_should_is_said_and_it_can_be_taken_back(self) -> None:
        event = self.finals()
        ident, second = self.wrong(event)
        effects = EventPreview(event).preview(lambda: decide_match(a_correction(event, ident, 4), by=SYSTEM_ACTOR))
        (cut,) = effects.qualifier_changes
        assert (cut.stage.name, cut.unqualified, cut.stage.may_go_back) == ("Finals", (second,), True)
        assert len(cut.missing) == 1 and cut.missing[0] not in course_of(event).current_stage.row.entries

    def test_once_play_has_gone_on_it_stands(self) -> None:
        event = self.finals()
        ident, _second = self.wrong(event)
        won(event, "R1M1", *course_of(event).current_stage.row.entries)
        effects = EventPreview(event).preview(lambda: decide_match(a_correction(event, ident, 4), by=SYSTEM_ACTOR))
        (cut,) = effects.qualifier_changes
        assert not cut.stage.may_go_back and not cut.stage.takes_more

    def test_its_games_stand_until_the_stage_is_taken_back(self) -> None:
        event = self.finals()
        correct(event, a_correction(event, G3=LaterMatchChoice.REPLAY))
        assert MatchResult.objects.filter(match__ident="G3").count() == 1
        take_back_stage(fresh(event), by=SYSTEM_ACTOR, reason="a result was wrong")
        correct(event, a_correction(event, winner=1))
        correct(event, a_correction(event, G3=LaterMatchChoice.REPLAY))
        assert ready(event) == {"G3"}

    def test_the_page_says_both(self) -> None:
        event = self.finals()
        fields = {"ending": "played:2", "reason": "misread", "key": "k"}
        said, done = look_and_do(
            client_as("director", event), event_url("pairing:desk_decide", event, ident="G1"), fields
        )
        assert "“Finals” is open, so these games stand as played." in said
        assert 'value="replay"' not in said and done.status_code == 302
        event = self.finals()
        ident, second = self.wrong(event)
        fields |= {"ending": "played:4", "key": "l"}
        said, done = look_and_do(
            client_as("director", event), event_url("pairing:desk_decide", event, ident=ident), fields
        )
        assert "“Finals” was opened from the standings as they are now" in said
        assert f"Player {second} would not be in it." in said and "should be in it but is not." in said
        assert event_url("pairing:desk_stage_back", event) in said and done.status_code == 302


class TestThePage:
    def test_the_director_chooses_of_each_and_does_exactly_that(self) -> None:
        event = two_rounds()
        client, address = client_as("director", event), event_url("pairing:desk_decide", event, ident="G1")
        fields = {"ending": "played:2", "reason": "misread", "key": "k"}
        looked = client.post(address, {**fields, "act": "look"}).content.decode()
        assert "Later games that were paired by other records" in looked
        assert looked.count("Keep it as played") == 2
        said, done = look_and_do(client, address, {**fields, "choice-G3": "replay"})
        assert "Player 1 – Player 3: to be played" in said and done.status_code == 302
        assert ready(event) == {"G3"}
        assert TableCall.objects.filter(match__ident="G3").last().table is None  # type: ignore[union-attr]

    def test_chosen_otherwise_than_shown_nothing_is_written(self) -> None:
        event = two_rounds()
        client, address = client_as("director", event), event_url("pairing:desk_decide", event, ident="G1")
        fields = {"ending": "played:2", "reason": "misread", "key": "k"}
        looked = client.post(address, {**fields, "act": "look"})
        before = count_rows(event)
        shown = {"act": "do", "shown": digest_in(looked), "listed": "G3 G4"}
        answer = client.post(address, {**fields, **shown, "choice-G3": "void"})
        assert answer.status_code == 422 and count_rows(event) == before

    def test_a_game_that_was_paired_since_it_was_shown_is_looked_at_first(self) -> None:
        event = two_rounds()
        client, address = client_as("director", event), event_url("pairing:desk_decide", event, ident="G1")
        fields = {"ending": "played:2", "reason": "misread", "key": "k"}
        looked = client.post(address, {**fields, "act": "look"})
        assert 'name="listed" value="G3 G4"' in looked.content.decode()
        send(event, (2, 3))
        before = count_rows(event)
        shown = {"act": "do", "shown": digest_in(looked), "listed": "G3 G4"}
        answer = client.post(address, {**fields, **shown})
        assert answer.status_code == 422 and count_rows(event) == before
        assert 'name="listed" value="G3 G4 G5"' in answer.content.decode()

    def test_the_last_result_is_taken_back_with_what_becomes_of_each(self) -> None:
        event = two_rounds()
        client, address = client_as("director", event), event_url("pairing:desk_undo", event, ident="G1")
        fields = {"reason": "the wrong card", "key": "k", "seen": str(the_match(event, "G1").results.get().pk)}
        said, done = look_and_do(client, address, {**fields, "choice-G3": "void"})
        assert "Player 1 was paired with 1–0, and would have had 0–0." in said and done.status_code == 302
        assert ready(event) == {"G1"}
        assert [record(event, entry) for entry in (1, 2, 3, 4)] == ["0–0", "1–0", "1–0", "0–2"]

    def test_taken_back_after_another_was_paired_by_it_since_it_is_looked_at_first(self) -> None:
        event = two_rounds()
        client, address = client_as("director", event), event_url("pairing:desk_undo", event, ident="G1")
        fields = {"reason": "the wrong card", "key": "k", "seen": str(the_match(event, "G1").results.get().pk)}
        looked = client.post(address, {**fields, "act": "look"})
        send(event, (2, 3))
        before = count_rows(event)
        answer = client.post(address, {**fields, "act": "do", "shown": digest_in(looked), "listed": "G3 G4"})
        assert answer.status_code == 422 and count_rows(event) == before
