"""A game ends early because time is up or a player leaves.

These tests check the effects on the match, the score card, and the next game, and that staff can undo them.
"""

from __future__ import annotations

import pytest
from django.utils import timezone

from pairing.draws.results import CardStatusKind
from pairing.models import MatchResult
from pairing.stages.selectors.course import load_event_stages
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.closing import (
    TimeCallResult,
    call_time,
    close_abandoned_game,
    correct_totals,
    load_open_games,
    reopen_game,
)
from scoring.cards.services.hands import LineEntry, add_line, correct_line
from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.models import Card, CardClosed
from scoring.posting.selectors.card_list import load_desk_cards
from scoring.posting.selectors.card_status import load_card_status
from tests.factories import a_user
from tests.kit import refused
from tests.scoring.helpers.closing import called, in_play, result_of, state_of, time_for
from tests.scoring.helpers.playing import gin, play, sign_both, the_card, the_director
from tests.scoring.helpers.table_events import a_table_event_in_play, open_cards, play_fort_worth, the_hall
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed, ReasonRequired

pytestmark = pytest.mark.django_db


def test_whoever_leads_has_won_and_moves_up_with_the_sheet_as_it_stands() -> None:
    event = in_play()
    before = play(the_card(event), gin("B", 20)).digest
    done = time_for(event, called(state_of(event)))
    assert (done.closed, done.undecided) == (("Ada – Alan",), ())
    state, result = state_of(event), result_of(event)
    assert (state.state, state.score.winner_name, state.score.totals) == ("closed", "Alan", (0, 45))
    assert state.digest != before
    assert state.content.as_json()["closed"] == {"cause": "time", "rule": "leader", "winner": "B"}
    assert result is not None
    assert result.credits == {"1": ["loss", "time"], "2": ["win", "time"]} and result.score == {"1": 0, "2": 45}
    progress = load_event_stages(event).progress
    assert progress is not None and 2 in progress["R2M1"].entries


@pytest.mark.parametrize("is_closed", [False, True])
def test_the_points_of_a_game_that_was_played_again_are_the_result(is_closed: bool) -> None:
    event = in_play("replay")
    time_for(event, called(state_of(event)))
    game = the_card(event, "R1M1", 2)
    if is_closed:
        play(game, gin("B", 20))
        word = called(load_card_state_by_pk(game.pk), "B")
        time_for(event, word, by=the_director(event), reason="A third time is enough")
    else:
        play(game, gin("B", 90))
        sign_both(game)
    result, state = result_of(event), load_card_state_by_pk(game.pk)
    assert result is not None and result.winner == state.score.winner
    assert list(result.score.values()) == list(state.score.totals) != [0, 1]
    assert load_card_status(state).kind is CardStatusKind.STANDS


def test_a_card_that_was_never_closed_says_nothing_of_it() -> None:
    event = in_play()
    assert "closed" not in play(the_card(event), gin("B", 20)).content.as_json()


def test_one_act_closes_the_round_and_names_the_level_ones() -> None:
    event = in_play()
    play(the_card(event, "R1M2"), gin("A", 20))
    games = load_open_games(event)
    assert [game.proposed_verdict.why for game in games] == [
        "Nobody leads: no hand is on the card. The director decides.",
        "Grace leads 45–0.",
    ]
    done = time_for(event, *(called(game.state) for game in games))
    assert (done.closed, done.undecided) == (("Grace – Kurt",), ("Ada – Alan",))
    state = state_of(event)
    assert (state.state, state.score.accepts_hands, result_of(event)) == ("undecided", False, None)
    with pytest.raises(Conflict, match="Nobody leads"):
        play(the_card(event), gin("A", 20))


def test_the_director_decides_a_level_game_with_a_reason() -> None:
    event = in_play()
    time_for(event, called(state_of(event)))
    word = called(state_of(event), "B")
    with pytest.raises(NotAllowed):
        time_for(event, word, by=make_staff_actor(a_user("desk", event.tournament)), reason="A cut of cards")
    with refused("reason-needed"):
        time_for(event, word, by=the_director(event))
    time_for(event, word, by=the_director(event), reason="A cut of cards")
    result = result_of(event)
    assert result is not None and result.winner is not None
    assert (result.winner.name, state_of(event).score.verdict.why) == (  # type: ignore[union-attr]
        "Alan",
        "By the director's decision Alan has won.",
    )


def test_the_last_hand_is_played_out_and_then_the_leader_wins() -> None:
    event = in_play("last-hand")
    play(the_card(event), gin("A", 5))
    assert time_for(event, called(state_of(event))).waiting == ("Ada – Alan",)
    assert (state_of(event).state, result_of(event)) == ("time-called", None)
    again = time_for(event, called(state_of(event)))
    assert (again.waiting, CardClosed.objects.count()) == (("Ada – Alan",), 1)
    keeper = make_player_actor(the_card(event).entrants[0])
    state = add_line(the_card(event), LineEntry(gin("B", 30, "9C")), by=keeper)
    result = result_of(event)
    assert (state.state, state.score.winner_name) == ("closed", "Alan")
    assert result is not None and result.credits["2"] == ["win", "time"]
    with pytest.raises(Conflict):
        add_line(the_card(event), LineEntry(gin("B", 30, "2C")), by=keeper)


def test_a_last_hand_that_reaches_the_target_ends_the_game_as_ever() -> None:
    event = in_play("last-hand")
    play(the_card(event), gin("A", 40))
    time_for(event, called(state_of(event)))
    state = play(the_card(event), gin("A", 40, "9C"))
    assert (state.state, state.score.is_closed, result_of(event)) == ("unsigned", False, None)
    assert "closed" not in state.content.as_json()


def test_between_two_hands_nothing_is_waited_for() -> None:
    event = in_play("last-hand")
    play(the_card(event), gin("A", 5))
    assert time_for(event, called(state_of(event), "now")).closed == ("Ada – Alan",)


def test_a_replay_leaves_the_card_and_opens_a_new_one() -> None:
    event = in_play("replay")
    play(the_card(event), gin("A", 40))
    time_for(event, called(state_of(event)))
    assert (state_of(event).state, state_of(event).score.winner, result_of(event)) == ("closed", None, None)
    play(the_card(event, game=2), gin("B", 40), gin("B", 41, "9C"))
    sign_both(the_card(event, game=2))
    result = result_of(event)
    assert result is not None and result.winner is not None
    assert (result.winner.name, result.credits["2"]) == ("Alan", ["win", "played"])


def test_in_a_match_of_several_games_the_games_lead_before_the_points() -> None:
    event = in_play(games_to_win=2)
    first = the_card(event)
    play(first, gin("A", 40), gin("A", 41, "9C"))
    sign_both(first)
    play(the_card(event, game=2), gin("B", 40))
    time_for(event, called(state_of(event, game=2)))
    state, result = state_of(event, game=2), result_of(event)
    assert (state.score.winner_name, state.score.verdict.why) == ("Ada", "Ada leads by 1 game to 0.")  # type: ignore[union-attr]
    assert result is not None and result.winner is not None
    assert (result.winner.name, result.score) == ("Ada", {"1": 1, "2": 0})
    assert state.content.as_json()["closed"]["games"] == {"A": 1, "B": 0}


def test_totals_from_paper_are_typed_with_the_call() -> None:
    event = in_play()
    done = time_for(event, called(state_of(event), totals={"A": 64, "B": 87}))
    assert done.closed == ("Ada – Alan",)
    assert (state_of(event).score.totals, state_of(event).score.winner_name) == ((64, 87), "Alan")
    with pytest.raises(DomainError):
        time_for(event, called(state_of(event, "R1M2"), totals={"A": 64, "B": -3}))


def test_totals_put_right_after_the_call_are_the_result() -> None:
    event = in_play()
    time_for(event, called(state_of(event), totals={"A": 64, "B": 87}))
    seen = state_of(event).digest
    correct_totals(the_card(event), {"A": 87, "B": 64}, seen=seen, by=the_director(event), reason="swapped")
    result = result_of(event)
    assert result is not None and result.winner is not None and result.winner.name == "Ada"
    assert result.score == {"1": 87, "2": 64} and state_of(event).score.winner_name == "Ada"


def test_a_paper_card_typed_after_the_call_closes_it() -> None:
    event = in_play()
    time_for(event, called(state_of(event)))
    state = enter_paper_card(the_card(event), PaperCard(totals={"A": 60, "B": 12}), by=the_director(event))
    assert (state.state, state.score.winner_name) == ("closed", "Ada")


def test_what_changed_meanwhile_is_left_open_and_named() -> None:
    event = in_play()
    seen = called(state_of(event))
    play(the_card(event), gin("A", 20))
    assert time_for(event, seen).skipped == ("Ada – Alan",)
    assert state_of(event).state == "playing"


def test_a_correction_turns_a_closed_game_and_a_level_one_is_open_to_the_director() -> None:
    event = in_play()
    play(the_card(event), gin("A", 20), gin("B", 10, "9C"))
    time_for(event, called(state_of(event)))
    director = the_director(event)
    correct_line(the_card(event), 1, LineEntry(gin("A", 5), via="desk"), by=director, reason="Wrong count")
    assert state_of(event).score.winner_name == "Alan"
    result = result_of(event)
    assert result is not None and result.winner is not None and result.winner.name == "Alan"
    correct_line(the_card(event), 1, LineEntry(gin("A", 10), via="desk"), by=director, reason="Counted again")
    assert (state_of(event).state, result_of(event).winner) == ("undecided", None)  # type: ignore[union-attr]
    progress = load_event_stages(event).progress
    assert progress is not None and progress["R1M1"].outcome is None


def test_who_leaves_loses_by_forfeit_or_the_event_decides() -> None:
    event = in_play()
    play(the_card(event), gin("A", 20))
    desk = make_staff_actor(a_user("desk", event.tournament))
    with pytest.raises(DomainError, match="Write w"):
        close_abandoned_game(the_card(event), "A", gives_up=True, by=desk, reason=" ")
    state = close_abandoned_game(the_card(event), "A", gives_up=True, by=desk, reason="Felt ill")
    assert (state.score.winner_name, result_of(event).credits) == (  # type: ignore[union-attr]
        "Alan",
        {"1": ["loss", "forfeit"], "2": ["win", "walk-over"]},
    )
    play(the_card(event, "R1M2"), gin("A", 20))
    close_abandoned_game(the_card(event, "R1M2"), "A", gives_up=False, by=desk, reason="Had a train to catch")
    by_rule = result_of(event, "R1M2")
    assert by_rule is not None
    assert by_rule.credits == {"3": ["win", "time"], "4": ["loss", "time"]}


def test_a_closing_is_taken_back_with_a_reason_and_the_game_goes_on() -> None:
    event = in_play()
    play(the_card(event), gin("A", 40))
    time_for(event, called(state_of(event)))
    director = the_director(event)
    with pytest.raises(DomainError, match="Write w"):
        reopen_game(the_card(event), by=director, reason="")
    state = reopen_game(the_card(event), by=director, reason="The clock was wrong")
    assert (state.state, state.was_posted) == ("playing", False)
    progress = load_event_stages(event).progress
    assert progress is not None and progress["R1M1"].outcome is None
    play(the_card(event), gin("A", 40, "9C"))
    sign_both(the_card(event))
    result = result_of(event)
    assert result is not None and result.credits["1"] == ["win", "played"]


def test_a_closing_whose_winner_plays_on_needs_more_than_a_reason() -> None:
    event = in_play()
    for ident in ("R1M1", "R1M2"):
        play(the_card(event, ident), gin("A", 40))
    time_for(event, *(called(state_of(event, ident)) for ident in ("R1M1", "R1M2")))
    play(the_card(event, "R2M1"), gin("A", 20))
    with pytest.raises(ReasonRequired):
        reopen_game(the_card(event), by=the_director(event), reason="The clock was wrong")
    assert state_of(event).score.is_closed
    taken = reopen_game(the_card(event), by=the_director(event), reason="The clock", override="all the same")
    assert not taken.score.is_closed


def test_the_same_call_sent_twice_closes_once() -> None:
    event = in_play()
    play(the_card(event), gin("A", 40))
    seen = called(state_of(event))
    first = call_time(event, [seen], by=SYSTEM_ACTOR, key="k")
    assert call_time(event, [seen], by=SYSTEM_ACTOR, key="k") == first
    assert CardClosed.objects.count() == 1


def test_at_tables_every_total_counts_as_it_stands() -> None:
    event = a_table_event_in_play(6, "fort-worth", {"size": 3, "rounds": 2}, length="very-short")
    one, other = open_cards(event)
    play_fort_worth(one, {"B": 12, "C": 12}, hands=2)
    play_fort_worth(other, {"B": 12, "C": 12}, hands=6)
    Card.objects.filter(match__event=event).first().sheet.event.rule_sheets.update(unfinished="leader")  # type: ignore[union-attr]
    state = load_card_state_by_pk(one.pk)
    assert call_time(event, [called(state)], by=SYSTEM_ACTOR).closed == (state.title,)
    result = MatchResult.objects.get(match=one.match)
    assert sorted(result.score.values()) == [-20, 24, 24]
    assert the_hall(event).rounds.find_table(one.match.ident)[1].is_decided  # type: ignore[index]
    reopen_game(one, by=the_director(event), reason="There was time left")
    assert not the_hall(event).rounds.find_table(one.match.ident)[1].is_decided  # type: ignore[index]


def test_a_correction_of_an_earlier_game_changes_who_leads_by_games() -> None:
    event = in_play(games_to_win=2)
    play(the_card(event), gin("A", 40), gin("A", 41, "9C"))
    sign_both(the_card(event))
    play(the_card(event, game=2), gin("A", 40))
    time_for(event, called(state_of(event, game=2)))
    director = the_director(event)
    for hand, line in ((1, gin("B", 40)), (2, gin("B", 41, "9C"))):
        correct_line(the_card(event), hand, LineEntry(line, via="desk"), by=director, reason="Wrong side")
    sign_both(the_card(event))
    result, state = result_of(event), state_of(event, game=2)
    assert result is not None and result.winner is not None
    assert (result.winner.name, state.score.winner_name) == ("Alan", "Alan")
    assert state.content.as_json()["closed"]["games"] == {"A": 0, "B": 1}


def test_the_second_of_two_who_close_a_game_is_told() -> None:
    event = in_play()
    play(the_card(event), gin("A", 40))
    seen = called(state_of(event))
    time_for(event, seen)
    assert time_for(event, seen) == TimeCallResult((), (), (), ("Ada – Alan",))
    with pytest.raises(Conflict, match="over already"):
        close_abandoned_game(the_card(event), "A", gives_up=True, by=SYSTEM_ACTOR, reason="Left")


def test_one_more_hand_by_the_director_then_the_leader_wins() -> None:
    event = in_play("director")
    play(the_card(event), gin("A", 5))
    time_for(event, called(state_of(event)))
    assert state_of(event).state == "undecided"
    time_for(event, called(state_of(event), "last-hand"), by=the_director(event), reason="Fair")
    assert state_of(event).state == "time-called"
    assert play(the_card(event), gin("B", 40, "9C")).score.winner_name == "Alan"


def test_at_a_table_the_director_lets_the_totals_stand_where_the_rule_is_a_replay() -> None:
    event = a_table_event_in_play(3, "fort-worth", {"size": 3, "rounds": 2}, length="very-short")
    event.rule_sheets.update(unfinished="replay")
    (card,) = open_cards(event)
    play_fort_worth(card, {"B": 12, "C": 12}, hands=2)
    state = load_card_state_by_pk(card.pk)
    assert call_time(event, [called(state)], by=SYSTEM_ACTOR).undecided == (state.title,)
    word = called(load_card_state_by_pk(card.pk), "stands")
    assert call_time(event, [word], by=the_director(event), reason="The hall closes").closed == (state.title,)
    with pytest.raises(Conflict):
        close_abandoned_game(card, "A", gives_up=True, by=SYSTEM_ACTOR, reason="Left")


def test_a_closed_card_is_on_the_list_of_posted_ones_and_of_no_other() -> None:
    event = in_play()
    play(the_card(event), gin("A", 40))
    time_for(event, *(called(state_of(event, ident)) for ident in ("R1M1", "R1M2")))
    listed = {
        wanted: [card.state.state for card in load_desk_cards(event, wanted, timezone.now())]
        for wanted in ("open", "unsigned", "overdue", "posted")
    }
    assert listed == {"open": ["undecided"], "unsigned": [], "overdue": [], "posted": ["closed"]}


def test_a_game_left_before_a_hand_is_closed_and_listed_without_one() -> None:
    event = in_play()
    close_abandoned_game(the_card(event), "B", gives_up=True, by=SYSTEM_ACTOR, reason="Never came back from lunch")
    (card,) = load_desk_cards(event, "posted", timezone.now())
    assert (card.state.lines, card.state.score.winner_name, card.is_overdue) == ((), "Ada", False)
