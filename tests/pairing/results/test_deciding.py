from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairing.blind_draw.services import make_draw, post_draw
from pairing.desk.services.sending import call_match_to_table, call_ready_matches
from pairing.draws.knockout.bracket import make_bracket
from pairing.draws.knockout.places import make_placings
from pairing.draws.results import ResultCause
from pairing.models import Commitment, Draw, Match, MatchResult, TableCall
from pairing.results.services.finish import finish_event, reopen_event
from pairing.results.services.results import MatchDecision, decide_match, remove_entrant
from pairing.stages.selectors.boards import load_bracket_board
from tests.chance import examples
from tests.factories import a_user
from tests.kit import ExamplesTestCase, fresh, refused
from tests.pairing.helpers.events import a_closed_event, an_event_in_play, play_all, the_match, win
from tests.pairing.helpers.races import at_once, refusals
from tests.pairing.helpers.stages import progress_of
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.errors import NotAllowed, ReasonRequired
from tournament.models import Entrant, EntrantFact, Event

Kind = EntrantFact.Kind


@pytest.mark.django_db
class TestResults:
    def test_the_winner_moves_up_at_once(self) -> None:
        event = an_event_in_play(4)
        progress = progress_of(event)
        winner = progress["R1M1"].entries[0]
        win(event, "R1M1")
        after = progress_of(event)
        assert after["R2M1"].entries == (winner,)

    def test_a_no_show_is_a_walk_over_for_the_other(self) -> None:
        event = an_event_in_play(4)
        progress = progress_of(event)
        there, absent = progress["R1M1"].entries
        winner = event.entrants.get(number=there)
        match = the_match(event, "R1M1")
        said = MatchDecision(match=match, winner=winner, cause=ResultCause.NO_SHOW, reason="called three times")
        decide_match(said, by=SYSTEM_ACTOR)
        result = MatchResult.objects.get()
        assert result.credits == {str(there): ["win", "walk-over"], str(absent): ["loss", "no-show"]}

    def test_neither_came_and_the_next_match_is_a_walk_over(self) -> None:
        event = an_event_in_play(4)
        match = the_match(event, "R1M1")
        decide_match(
            MatchDecision(match=match, winner=None, cause=ResultCause.BOTH_ABSENT, reason="neither player came"),
            by=SYSTEM_ACTOR,
        )
        win(event, "R1M2")
        progress = progress_of(event)
        assert progress.champion == MatchResult.objects.latest("pk").winner.number

    def test_a_correction_that_upsets_a_later_match_is_refused_until_it_is_meant(self) -> None:
        event = an_event_in_play(4)
        play_all(event)
        progress = progress_of(event)
        loser = event.entrants.get(number=progress["R1M1"].losers[0])

        def correct(**options: bool) -> MatchResult:
            match = the_match(event, "R1M1")
            said = MatchDecision(
                match=match, winner=loser, cause=ResultCause.PLAYED, reason="names were changed", **options
            )
            return decide_match(said, by=SYSTEM_ACTOR)

        with pytest.raises(ReasonRequired) as refusal:
            correct()
        assert refusal.value.data["warnings"] == ["R2M1"]
        first = MatchResult.objects.get(match__ident="R1M1")
        assert correct(override=True).supersedes == first
        after = progress_of(event)
        assert loser.number in after["R2M1"].entries
        assert after["R2M1"].outcome is None

    def test_who_goes_out_loses_what_is_open_and_keeps_what_was_played(self) -> None:
        event = an_event_in_play(4)
        win(event, "R1M1")
        progress = progress_of(event)
        gone = progress["R2M1"].entries[0]
        remove_entrant(event.entrants.get(number=gone), Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="taken ill")
        win(event, "R1M2")
        after = progress_of(event)
        assert after["R1M1"].winner == gone
        assert after.is_complete
        assert after.champion in after["R1M2"].entries

    def test_only_a_director_disqualifies(self) -> None:
        event = an_event_in_play(4)
        desk = make_staff_actor(a_user("desk", event.tournament))
        with pytest.raises(NotAllowed):
            remove_entrant(event.entrants.get(number=1), Kind.DISQUALIFIED, by=desk, reason="gave away a game")
        remove_entrant(event.entrants.get(number=1), Kind.NO_SHOW, by=desk, reason="called three times")

    def test_the_desk_says_why(self) -> None:
        event = an_event_in_play(2)
        match = the_match(event, "R1M1")
        said = MatchDecision(match=match, winner=None, cause=ResultCause.BOTH_ABSENT, reason="")
        with refused("reason-needed"):
            decide_match(said, by=SYSTEM_ACTOR)


@pytest.mark.django_db
class TestTables:
    def test_all_ready_matches_go_to_the_free_tables(self) -> None:
        event = an_event_in_play(8)
        call_match_to_table(the_match(event, "R1M3"), 2, by=SYSTEM_ACTOR)
        assert call_ready_matches(event, 1, 3, by=SYSTEM_ACTOR) == 2
        board = load_bracket_board(event)
        assert board is not None
        assert dict(board.tables) == {"R1M1": 1, "R1M3": 2, "R1M2": 3}

    def test_a_busy_table_is_refused_and_a_decided_match_frees_it(self) -> None:
        event = an_event_in_play(4)
        call_match_to_table(the_match(event, "R1M1"), 1, by=SYSTEM_ACTOR)
        with refused("busy"):
            call_match_to_table(the_match(event, "R1M2"), 1, by=SYSTEM_ACTOR)
        win(event, "R1M1")
        call_match_to_table(the_match(event, "R1M2"), 1, by=SYSTEM_ACTOR)
        assert TableCall.objects.count() == 2

    def test_a_match_without_players_is_not_called(self) -> None:
        event = an_event_in_play(4)
        with refused("not-ready"):
            call_match_to_table(the_match(event, "R2M1"), 1, by=SYSTEM_ACTOR)


@pytest.mark.django_db
class TestFinish:
    def test_places_become_the_finish_and_it_can_be_opened_again(self) -> None:
        event = an_event_in_play(4)
        with refused("not-complete"):
            finish_event(event, by=SYSTEM_ACTOR)
        play_all(event)
        finish = finish_event(event, by=SYSTEM_ACTOR)
        progress = progress_of(event)
        losers = sorted(number for ident in ("R1M1", "R1M2") for number in progress[ident].losers)
        assert finish.places == [[progress.champion], list(progress["R2M1"].losers), losers]
        reopen_event(fresh(event), by=SYSTEM_ACTOR, reason="a card was read wrongly")
        assert fresh(event).state == Event.State.IN_PLAY
        finish_event(fresh(event), by=SYSTEM_ACTOR)
        assert event.finishes.count() == 2


class TestAnyField(ExamplesTestCase):
    @settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
    @given(entrants=st.integers(2, 20), seed=st.integers(0, 10**6))
    def test_the_bracket_rebuilt_from_facts_is_the_one_shown(self, entrants: int, seed: int) -> None:
        dice = random.Random(seed)
        event = an_event_in_play(entrants)
        drawn = Draw.objects.get(commitment__event=event)
        bracket = make_bracket(tuple(drawn.places))
        for match in bracket.matches:
            if dice.random() < 0.15:
                here = list(event.entrants.filter(state="in"))
                if here:
                    remove_entrant(dice.choice(here), Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="left")
            progress = progress_of(event)
            if progress[match.id].outcome is None and len(progress[match.id].entries) == 2:
                win(event, match.id, dice.randrange(2))
        board = load_bracket_board(event)
        assert board is not None
        assert board.progress.bracket == bracket
        assert {match.ident for match in Match.objects.filter(event=event)} == set(bracket.matches_by_id)
        assert board.progress.is_complete
        placings = make_placings(board.progress)
        placed = [number for placing in placings.finish for number in placing.entries]
        assert sorted([*placed, *placings.disqualified]) == list(range(1, entrants + 1))


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestTwoAtOnce:
    def test_two_draws(self) -> None:
        event = a_closed_event(8)
        ends = at_once(lambda: make_draw(event, "7H", by=SYSTEM_ACTOR), lambda: make_draw(event, "2C", by=SYSTEM_ACTOR))
        assert refusals(ends) == ["drawn-already"]
        assert Draw.objects.filter(commitment__event=event).count() == 1

    def test_two_postings(self) -> None:
        event = a_closed_event(8)
        make_draw(event, "7H", by=SYSTEM_ACTOR)
        ends = at_once(lambda: post_draw(event, by=SYSTEM_ACTOR), lambda: post_draw(event, by=SYSTEM_ACTOR))
        assert len(refusals(ends)) == 1
        assert Match.objects.filter(event=event).count() == 7
        assert Commitment.objects.filter(event=event).count() == 1

    def test_two_results_of_one_match_stand_in_a_row(self) -> None:
        event = an_event_in_play(2)
        match = the_match(event, "R1M1")
        one, other = event.entrants.all()

        def decide(winner: Entrant) -> MatchResult:
            said = MatchDecision(match=match, winner=winner, cause=ResultCause.NO_SHOW, reason="seen so", override=True)
            return decide_match(said, by=SYSTEM_ACTOR)

        at_once(lambda: decide(one), lambda: decide(other))
        found = list(MatchResult.objects.order_by("pk"))
        assert [result.supersedes_id for result in found[:1]] == [None]
        assert all(later.supersedes == earlier for earlier, later in pairwise(found))
        progress = progress_of(event)
        assert progress.champion == found[-1].winner.number

    def test_two_matches_to_one_table(self) -> None:
        event = an_event_in_play(4)
        one, other = the_match(event, "R1M1"), the_match(event, "R1M2")
        ends = at_once(
            lambda: call_match_to_table(one, 1, by=SYSTEM_ACTOR), lambda: call_match_to_table(other, 1, by=SYSTEM_ACTOR)
        )
        assert len(refusals(ends)) == 1
        assert TableCall.objects.count() == 1
