"""When a qualifying ends: what is certain, what is the same each time, and what a longer day must show."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.forecast.forecast import Forecast, TimedGame, make_forecast
from pairing.draws.forecast.pace import STEPS, Pace
from pairing.draws.forecast.simulation import DeskPace
from pairing.draws.results import MatchOutcome, Meeting
from pairing.draws.stages.qualifier import GRA_PARTNERSHIP, QualifierTerms, make_qualifying
from tests.chance import examples

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
ONE_GAME = QualifierTerms(games=1, losses=None, wins=None, byes_to=())


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def first_round(entrants: int, *, took: float, tables: int) -> Forecast:
    """Half of them have played a game of so many minutes, and everybody waits."""
    pairs = [(number, number + 1) for number in range(1, entrants // 2, 2)]
    meetings = [Meeting(f"G{one}", (one, other), MatchOutcome.won(f"G{one}", one, other)) for one, other in pairs]
    games = [TimedGame(pair, NOON, at(took)) for pair in pairs]
    now = make_qualifying(GRA_PARTNERSHIP, range(1, entrants + 1), meetings)
    return make_forecast(now, games, DeskPace(tables=tables), now=at(took), since={})


def test_the_same_facts_give_the_same_forecast() -> None:
    assert first_round(32, took=20, tables=8) == first_round(32, took=20, tables=8)


def test_slower_games_and_fewer_tables_end_later() -> None:
    usual = first_round(32, took=20, tables=8)
    assert first_round(32, took=40, tables=8).ends_at - at(40) > 1.5 * (usual.ends_at - at(20))
    assert first_round(32, took=20, tables=4).ends_at > usual.ends_at + timedelta(minutes=30)
    assert usual.earliest <= usual.ends_at <= usual.latest


def test_nothing_to_play_is_over_now() -> None:
    meetings = [Meeting("G1", (1, 2), MatchOutcome.won("G1", 1, 2))]
    found = make_forecast(
        make_qualifying(ONE_GAME, [1, 2], meetings), [TimedGame((1, 2), NOON, at(17))], DeskPace(tables=4), now=at(17)
    )
    assert (found.ends_at, found.latest, found.games_left) == (at(17), at(17), 0)


def test_whoever_has_met_everybody_meets_again_when_nobody_is_to_come() -> None:
    meetings = [
        Meeting(f"G{turn}", pair, MatchOutcome.won(f"G{turn}", *pair)) for turn, pair in enumerate([(1, 2), (3, 4)], 1)
    ]
    terms = QualifierTerms(games=2, losses=None, wins=None, byes_to=())
    now = make_qualifying(terms, [1, 2], [meetings[0]])
    assert make_forecast(now, [TimedGame((1, 2), NOON, at(10))], DeskPace(tables=1), now=at(10)).games_left == 1


def test_a_long_game_at_a_table_puts_the_end_off() -> None:
    played = [TimedGame((1, 2), NOON, at(20))] * 30
    now = make_qualifying(ONE_GAME, [4, 9], [Meeting("G1", (4, 9))])
    ends = [
        make_forecast(now, [*played, TimedGame((4, 9), at(0))], DeskPace(tables=1), now=at(minutes)).ends_at
        for minutes in (1, 19, 60)
    ]
    assert ends[0] < at(30) and ends[2] > at(60) and ends == sorted(ends)


def test_nobody_plays_without_a_table() -> None:
    with pytest.raises(ValueError, match="table"):
        DeskPace(tables=0)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.floats(1, 120), max_size=40), st.lists(st.floats(0, 120), max_size=10))
def test_lengths_are_in_order_and_what_is_left_is_never_less_than_nothing(
    ended: list[float], playing: list[float]
) -> None:
    pace = Pace.of(ended, playing)
    assert len(pace.lengths) == STEPS and list(pace.lengths) == sorted(pace.lengths) and pace.lengths[0] > 0
    assert all(pace.left(lot / 8, elapsed) >= 0 for lot in range(8) for elapsed in (0.0, 10.0, 500.0))


def test_games_still_at_the_tables_say_that_games_are_longer() -> None:
    short = [10.0] * 20
    assert Pace.of(short, [30.0] * 10).length(0.5) > 1.3 * Pace.of(short).length(0.5)
