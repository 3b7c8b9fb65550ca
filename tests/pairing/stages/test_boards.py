from __future__ import annotations

import pytest

from pairing.desk.services.sending import call_match_to_table
from pairing.draws.knockout.bracket import make_double_elimination_bracket
from pairing.draws.knockout.progress import make_bracket_progress
from pairing.draws.results import MatchOutcome
from pairing.results.services.results import record_result, remove_entrant
from pairing.stages.pictures.boxes import format_match_name, format_round_name, get_match_state_code
from pairing.stages.selectors.boards import BracketBoard, load_bracket_board
from tests.kit import fresh
from tests.pairing.helpers.events import an_event_in_play, the_match, win
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import EntrantFact, Event

pytestmark = pytest.mark.django_db


def states(event: Event) -> dict[str, str]:
    board = load_bracket_board(fresh(event))
    assert board is not None
    return {view.match.id: get_match_state_code(board, view) for view in board.progress.views.values()}


def record(event: Event, outcome: MatchOutcome) -> None:
    with writing(event, verb="match.decided", by=SYSTEM_ACTOR) as write:
        record_result(write, the_match(event, outcome.match), outcome)


def test_a_match_is_waiting_ready_called_done_and_corrected() -> None:
    event = an_event_in_play(4)
    assert states(event) == {"R1M1": "ready", "R1M2": "ready", "R2M1": "waiting"}
    call_match_to_table(the_match(event, "R1M1"), 5, by=SYSTEM_ACTOR)
    assert states(event)["R1M1"] == "called"
    first = win(event, "R1M1")
    assert states(event)["R1M1"] == "done"
    loser = next(number for number in map(int, first.credits) if number != first.winner.number)
    record(event, MatchOutcome.won("R1M1", loser, first.winner.number))
    assert states(event) == {"R1M1": "corrected", "R1M2": "ready", "R2M1": "waiting"}


def test_a_match_played_again_after_it_was_void_is_not_corrected() -> None:
    event = an_event_in_play(2)
    first = win(event, "R1M1")
    record(event, MatchOutcome.void("R1M1", tuple(map(int, first.credits))))
    assert states(event) == {"R1M1": "ready"}
    win(event, "R1M1", 1)
    assert states(event) == {"R1M1": "done"}


def test_the_matches_of_two_lives_have_names() -> None:
    idents = ["W1M2", "L3M1", "F1M1", "F2M1", "R2M5", "R2T3-2", "G7", "P1M2"]
    assert [format_match_name(ident) for ident in idents] == [
        "Winners’ side, round 1, match 2",
        "Losers’ side, round 3, match 1",
        "Final",
        "Second final",
        "Round 2, match 5",
        "Round 2, group 3",
        "Game 7",
        "Play-off, round 1, match 2",
    ]


def test_a_board_has_the_rounds_of_each_part_and_says_which_is_live() -> None:
    won = [MatchOutcome.won(*who) for who in (("W1M1", 1, 2), ("W1M2", 3, 4))]
    board = BracketBoard(make_bracket_progress(make_double_elimination_bracket((1, 2, 3, 4)), won), {}, {}, {})
    assert [str(key) for key in board.rounds] == ["W1", "W2", "L1", "L2", "F1", "F2"]
    assert str(board.first_open_round) == "W2"
    assert [format_round_name(key, 2) for key in board.rounds][2:5] == [
        "Losers’ side, round 1",
        "Losers’ side, round 2",
        "Final",
    ]
    assert get_match_state_code(board, board.progress["F2M1"]) == "if-needed"
    over = [*won, *(MatchOutcome.won(*who) for who in (("W2M1", 1, 3), ("L1M1", 2, 4), ("L2M1", 3, 2), ("F1M1", 1, 3)))]
    ended = BracketBoard(make_bracket_progress(board.progress.bracket, over), {}, {}, {})
    assert get_match_state_code(ended, ended.progress["F2M1"]) == "not-needed"
    assert str(ended.first_open_round) == "F1"


def test_who_goes_on_without_playing_has_no_points_of_others_who_met_there_before() -> None:
    event = an_event_in_play(4)
    win(event, "R1M1")
    win(event, "R1M2")
    final = win(event, "R2M1")
    assert final.winner is not None
    semifinal = win(event, "R1M2", side=1)
    assert semifinal.winner is not None
    remove_entrant(semifinal.winner, EntrantFact.Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="called home")
    board = load_bracket_board(fresh(event))
    assert board is not None and board.progress["R2M1"].winner == final.winner.number
    assert states(event)["R2M1"] == "walk-over"
    assert board.scores.get("R2M1", {}) == {} and "R2M1" not in board.result_recorders
    assert board.scores["R1M1"] and board.result_recorders["R1M2"]
