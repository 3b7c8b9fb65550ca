"""Forecasts of when a stage ends: known ends, repeatable results, and the effects of pace and tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.forecast.forecast import (
    ESTIMATE_ROUNDING_STEP,
    EndTimeForecast,
    SiteDeskSetup,
    TimedGame,
    _compute_median_pause,
    count_play_off_matches_per_round,
    estimate_end_of_matches,
    estimate_free_table_time,
    forecast_known_games,
    list_bracket_games,
    list_games_in_waves,
    list_scheduled_games,
    make_stage_forecast,
)
from pairing.draws.forecast.pace import LENGTHS_PER_DISTRIBUTION, GameLengthDistribution
from pairing.draws.forecast.simulation import RemainingGame, TableSchedule, _has_enough_tables, _ScheduleRun
from pairing.draws.knockout.bracket import make_bracket, make_double_elimination_bracket
from pairing.draws.knockout.progress import make_bracket_progress
from pairing.draws.results import MatchOutcome, Meeting
from pairing.draws.stages.play_off import PlayOff
from pairing.draws.stages.pools import schedule_groups
from pairing.draws.stages.qualifier import GRA_PARTNERSHIP_TERMS, QualifierTerms, QualifyingStage, make_qualifying_stage
from tests.chance import examples

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
ONE_GAME = QualifierTerms(games=1, losses=None, wins=None, byes_to=())


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def forecast_of(qualifying: QualifyingStage, games: list[TimedGame], tables: int, *, now: datetime) -> EndTimeForecast:
    hall = SiteDeskSetup("", tuple(qualifying.entrants), tables)
    return make_stage_forecast(qualifying, games, [hall], now=now).overall


def first_round(entrants: int, *, took: float, tables: int) -> EndTimeForecast:
    """Return the forecast at a moment when half of the entries have played one game each.

    The other half have not played yet, and no game is going on. Each game took `took` minutes.
    """
    pairs = [(number, number + 1) for number in range(1, entrants // 2, 2)]
    meetings = [Meeting(f"G{one}", (one, other), MatchOutcome.won(f"G{one}", one, other)) for one, other in pairs]
    games = [TimedGame(pair, NOON, at(took)) for pair in pairs]
    now = make_qualifying_stage(GRA_PARTNERSHIP_TERMS, range(1, entrants + 1), meetings)
    return forecast_of(now, games, tables, now=at(took))


def test_the_same_facts_give_the_same_forecast() -> None:
    assert first_round(32, took=20, tables=8) == first_round(32, took=20, tables=8)


def test_slower_games_and_fewer_tables_end_later() -> None:
    usual = first_round(32, took=20, tables=8)
    assert first_round(32, took=40, tables=8).ends_at - at(40) > 1.5 * (usual.ends_at - at(20))
    assert first_round(32, took=20, tables=4).ends_at > usual.ends_at + timedelta(minutes=30)
    assert usual.earliest <= usual.ends_at <= usual.latest


def test_a_stage_without_games_ends_now() -> None:
    meetings = [Meeting("G1", (1, 2), MatchOutcome.won("G1", 1, 2))]
    found = forecast_of(
        make_qualifying_stage(ONE_GAME, [1, 2], meetings), [TimedGame((1, 2), NOON, at(17))], 4, now=at(17)
    )
    assert (found.ends_at, found.latest, found.games_left) == (at(17), at(17), 0)


def test_entries_that_have_met_meet_again_if_nobody_else_is_left() -> None:
    meetings = [
        Meeting(f"G{turn}", pair, MatchOutcome.won(f"G{turn}", *pair)) for turn, pair in enumerate([(1, 2), (3, 4)], 1)
    ]
    terms = QualifierTerms(games=2, losses=None, wins=None, byes_to=())
    now = make_qualifying_stage(terms, [1, 2], [meetings[0]])
    assert forecast_of(now, [TimedGame((1, 2), NOON, at(10))], 1, now=at(10)).games_left == 1


def test_a_long_game_at_a_table_puts_the_end_off() -> None:
    played = [TimedGame((1, 2), NOON, at(20))] * 30
    now = make_qualifying_stage(ONE_GAME, [4, 9], [Meeting("G1", (4, 9))])
    ends = [
        forecast_of(now, [*played, TimedGame((4, 9), at(0))], 1, now=at(minutes)).ends_at for minutes in (1, 19, 60)
    ]
    assert ends[0] < at(30) and ends[2] > at(60) and ends == sorted(ends)


def test_nobody_plays_without_a_table() -> None:
    with pytest.raises(ValueError, match="table"):
        forecast_of(make_qualifying_stage(ONE_GAME, [4, 9], []), [], 0, now=NOON)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.floats(1, 120), max_size=40), st.lists(st.floats(0, 120), max_size=10))
def test_lengths_are_in_order_and_what_is_left_is_never_less_than_nothing(
    ended: list[float], playing: list[float]
) -> None:
    pace = GameLengthDistribution.estimate(ended, playing)
    assert (
        len(pace.lengths) == LENGTHS_PER_DISTRIBUTION
        and list(pace.lengths) == sorted(pace.lengths)
        and pace.lengths[0] > 0
    )
    assert all(pace.pick_minutes_left(lot / 8, elapsed) >= 0 for lot in range(8) for elapsed in (0.0, 10.0, 500.0))


def test_games_still_at_the_tables_say_that_games_are_longer() -> None:
    short = [10.0] * 20
    assert GameLengthDistribution.estimate(short, [30.0] * 10).pick_length(0.5) > 1.3 * GameLengthDistribution.estimate(
        short
    ).pick_length(0.5)


# --- Test forecast next ----------------------------------------------------------------------------------------------
# About when somebody sits down next: by hand, and what may never move it.


def took(minutes: float, ended: datetime = NOON, length: float = 1.0) -> TimedGame:
    return TimedGame((1, 2), ended - timedelta(minutes=minutes), ended, length)


def began(minutes_ago: float, length: float = 1.0) -> TimedGame:
    return TimedGame((3, 4), NOON - timedelta(minutes=minutes_ago), length=length)


PLAYED = [took(30), took(40), took(50)]


def test_it_is_the_end_of_the_last_match_before_to_the_next_five_minutes() -> None:
    assert estimate_end_of_matches([began(10)], PLAYED, NOON) == NOON + timedelta(minutes=30)
    assert estimate_end_of_matches([began(10), began(1)], PLAYED, NOON) == NOON + timedelta(minutes=40)


def test_a_longer_match_takes_longer_and_says_no_more_of_the_pace() -> None:
    assert estimate_end_of_matches([began(10, length=2.0)], PLAYED, NOON) == NOON + timedelta(minutes=70)
    assert estimate_end_of_matches([began(10)], [took(30), took(80, length=2.0), took(50)], NOON) == NOON + timedelta(
        minutes=30
    )


def test_there_is_no_estimate_without_earlier_matches() -> None:
    slip = took(0.2)
    assert estimate_end_of_matches([began(10)], [took(30), took(40), slip, slip], NOON) is None
    assert estimate_end_of_matches([began(41)], PLAYED, NOON) is None
    assert estimate_end_of_matches([], PLAYED, NOON) is None


@given(st.lists(st.integers(1, 200), min_size=1), st.integers(0, 30))
def test_later_ends_do_not_change_an_estimate(later: list[int], since: int) -> None:
    after = [took(minutes, NOON + timedelta(minutes=minutes)) for minutes in later]
    said = estimate_end_of_matches([began(since)], PLAYED, NOON)
    assert said is not None and said == estimate_end_of_matches([began(since)], [*after, *PLAYED], NOON)
    assert timedelta() <= said - (NOON + timedelta(minutes=40 - since)) < ESTIMATE_ROUNDING_STEP


def test_a_match_without_a_table_waits_for_as_many_to_end_as_are_before_it() -> None:
    over = [took(40, NOON - timedelta(minutes=30))] * 3
    busy = [began(30), began(20), began(5)]
    said = [estimate_free_table_time(ahead, [*over, *busy], NOON) for ahead in range(4)]
    assert said == [*(NOON + timedelta(minutes=left) for left in (10, 20, 35)), None]


def test_there_is_no_estimate_while_a_table_is_free() -> None:
    over = [took(40, NOON - timedelta(minutes=30))] * 3
    assert estimate_free_table_time(0, [*over, began(30), began(20)], NOON) is None
    assert estimate_free_table_time(1, [*over, began(30), began(20)], NOON) == NOON + timedelta(minutes=10)


def test_later_beginnings_do_not_change_an_estimate() -> None:
    games = [*[took(40, NOON - timedelta(minutes=30))] * 3, began(30), began(20), began(5)]
    later = [TimedGame((5, 6), NOON + timedelta(minutes=3)), took(40, NOON + timedelta(minutes=50))]
    assert estimate_free_table_time(0, [*games, *later], NOON) == estimate_free_table_time(0, games, NOON)


# --- Test forecast stages --------------------------------------------------------------------------------------------
# When a stage ends whose games are known to come: with games that all take twenty minutes it can be counted.

TWENTY = GameLengthDistribution((20.0,) * LENGTHS_PER_DISTRIBUTION)


def ends_after(games: tuple[RemainingGame, ...], tables: int, pause: float = 0.0, turn: int = 0) -> float:
    return TableSchedule(games, tables, pause).simulate(TWENTY, turn + 1)[turn]


def a_group_of(entries: int) -> tuple[RemainingGame, ...]:
    schedule = schedule_groups([range(1, entries + 1)])
    return list_scheduled_games(
        [Meeting(f"G{turn}", pair) for turn, (_group, _round, pair) in enumerate(schedule)], [], {}
    )


def test_a_bracket_ends_after_its_rounds_and_later_where_tables_are_short() -> None:
    games = list_bracket_games(make_bracket_progress(make_bracket(tuple(range(1, 9)))), {}, {})
    assert ends_after(games, tables=4) == 60
    assert ends_after(games, tables=4, pause=5) == 70
    assert ends_after(games, tables=2) == 80
    assert ends_after(games, tables=1) == 140


def test_a_longer_final_and_a_match_that_has_begun() -> None:
    bracket = make_bracket((1, 2, 3, 4))
    progress = make_bracket_progress(bracket, [MatchOutcome.won("R1M1", 1, 2)])
    games = list_bracket_games(progress, {"R2M1": 2.0}, {"R1M2": 12.0})
    assert ends_after(games, tables=2) == 8 + 40


def test_the_longest_chain_of_a_double_elimination_with_its_reset_in_every_other_run() -> None:
    games = list_bracket_games(make_bracket_progress(make_double_elimination_bracket((1, 2, 3, 4))), {}, {})
    ends = [ends_after(games, tables=4, turn=turn) for turn in range(200)]
    assert set(ends) == {80.0, 100.0} and 70 < ends.count(100.0) < 130


def test_a_reset_is_forecast_only_if_needed() -> None:
    bracket = make_double_elimination_bracket((4, 2))
    assert bracket.final_match.id == "F1M1"
    first = MatchOutcome.won("W1M1", 4, 2)
    for winner, loser, left in ((2, 4, 20.0), (4, 2, 0.0)):
        progress = make_bracket_progress(bracket, [first, MatchOutcome.won("F1M1", winner, loser)])
        assert {ends_after(list_bracket_games(progress, {}, {}), 1, turn=turn) for turn in range(9)} == {left}


def test_nobody_plays_two_games_of_a_group_at_once() -> None:
    assert ends_after(a_group_of(4), tables=6) == 60
    assert ends_after(a_group_of(4), tables=1) == 120
    assert ends_after(a_group_of(5), tables=6) == 100


def test_a_round_waits_for_the_slowest_table_of_the_round_before() -> None:
    assert ends_after(list_games_in_waves([], [8, 8, 8]), tables=8) == 60
    assert ends_after(list_games_in_waves([], [8, 8, 8]), tables=4) == 120
    assert ends_after(list_games_in_waves([("G1", 15.0), ("G2", 2.0), ("G3", None)], [2]), tables=3) == 40
    assert ends_after(list_games_in_waves([("G1", 15.0), ("G2", 2.0), ("G3", None)], [2]), tables=2) == 45


def test_each_round_of_a_play_off_halves_the_surplus() -> None:
    assert count_play_off_matches_per_round(PlayOff(places=3, rounds=()), 11) == (5, 3)
    assert count_play_off_matches_per_round(PlayOff(places=4, rounds=()), 4) == ()
    assert count_play_off_matches_per_round(PlayOff(places=0, rounds=(), is_complete=True), 9) == ()


def test_a_match_to_which_nobody_comes_takes_no_time() -> None:
    game = RemainingGame(name="R1M1", probability=0.0)
    assert ends_after((game, RemainingGame(name="R2M1", predecessors=("R1M1",))), tables=1) == 20


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(2, 40), st.integers(1, 20), st.booleans())
def test_no_bracket_ends_before_its_rounds_or_its_tables_allow(entries: int, tables: int, double: bool) -> None:
    size = 1 << (entries - 1).bit_length()
    places = [number if number <= entries else None for number in range(1, size + 1)]
    mixed = tuple(
        place for pair in zip(places[: size // 2], reversed(places[size // 2 :]), strict=True) for place in pair
    )
    progress = make_bracket_progress(make_double_elimination_bracket(mixed) if double else make_bracket(mixed))
    games = list_bracket_games(progress, {}, {})
    ended = ends_after(games, tables)
    most = len(games) * 20
    assert max((size - 1).bit_length() * 20, (most - 20) / tables) <= ended <= most
    assert tables > 1 or ended in (most, most - 20 * double)


def test_an_impossible_hall_raises_an_error() -> None:
    one = RemainingGame(name="R1M1")
    for games, tables in (((one,), 0), ((one, one), 1), ((RemainingGame(name="R2M1", predecessors=("R1M1",)), one), 1)):
        with pytest.raises(ValueError):
            TableSchedule(games, tables)


def test_long_games_of_a_longer_final_do_not_slow_the_others() -> None:
    usual = [TimedGame((1, 2), NOON, NOON + timedelta(minutes=20))] * 30
    final = [TimedGame((1, 2), NOON, NOON + timedelta(minutes=40), length=2.0)] * 30
    games, now = list_games_in_waves([], [4]), NOON + timedelta(minutes=40)
    assert (
        forecast_known_games(games, final, 4, now=now).ends_at == forecast_known_games(games, usual, 4, now=now).ends_at
    )


def test_a_game_whose_slip_was_typed_at_once_says_nothing_about_the_pace() -> None:
    at_once = [TimedGame((1, 2), NOON, NOON + timedelta(seconds=20))] * 30
    games = list_games_in_waves([], [4])
    assert forecast_known_games(games, at_once, 4, now=NOON) == forecast_known_games(games, [], 4, now=NOON)


FIVE = QualifierTerms(games=5, losses=None, wins=None, byes_to=())


def test_the_stage_ends_when_the_last_site_does() -> None:
    field = make_qualifying_stage(FIVE, range(1, 41), [])
    games = [TimedGame((50, 51), NOON - timedelta(minutes=20), NOON)] * 40
    here = SiteDeskSetup("Austin", tuple(range(1, 21)), 10)
    there = SiteDeskSetup("Oslo", tuple(range(21, 41)), 3)
    found = make_stage_forecast(field, games, [here, there], now=NOON)
    ends = {name: site.ends_at for name, site in found.sites}
    assert ends["Oslo"] > ends["Austin"] + timedelta(minutes=120)
    assert found.overall.ends_at == ends["Oslo"] and found.overall.latest == dict(found.sites)["Oslo"].latest
    assert found.overall.games_left == sum(site.games_left for _name, site in found.sites)
    assert 90 < found.overall.games_left <= 100


def test_one_site_alone_is_forecast_as_the_whole() -> None:
    field = make_qualifying_stage(FIVE, range(1, 9), [])
    alone = make_stage_forecast(field, [], [SiteDeskSetup("", tuple(range(1, 9)), 4)], now=NOON)
    assert alone.sites == () and alone.overall == forecast_of(field, [], 4, now=NOON)
    with pytest.raises(ValueError, match="somewhere"):
        make_stage_forecast(field, [], [], now=NOON)


@settings(max_examples=examples(200), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.one_of(st.none(), st.floats(0, 40)), st.floats(0.2, 1)), max_size=25),
    st.integers(1, 12),
    st.sampled_from((0.0, 2.0)),
    st.integers(0, 5),
)
def test_a_hall_that_never_waits_for_a_table_ends_when_its_longest_way_does(
    drawn: list[tuple[int, float | None, float]], tables: int, pause: float, turn: int
) -> None:
    games: list[RemainingGame] = []
    for place, (waits, elapsed, chance) in enumerate(drawn):
        after = tuple(f"g{max(0, place - 1 - back)}" for back in range(waits)) if place else ()
        at_table = elapsed if not after else None
        games.append(
            RemainingGame(name=f"g{place}", predecessors=tuple(set(after)), elapsed=at_table, probability=chance)
        )
    hall, pace = TableSchedule(tuple(games), tables, pause), GameLengthDistribution.estimate([20.0, 25.0, 40.0])
    turns = turn + 1
    by_clock = [_ScheduleRun(hall, pace, one).simulate() for one in range(turns)]
    assert hall.simulate(pace, turns) == by_clock
    begins, frees, ended = hall.simulate_without_waits(pace, turns)
    for one in range(turns):
        own, freed = [game[one] for game in begins], [game[one] for game in frees]
        if _has_enough_tables(tables, own, freed):
            assert ended[one] == by_clock[one]


def test_the_pause_is_the_median_of_usual_and_observed_pauses() -> None:
    first = TimedGame((1, 2), NOON, at(20))
    again = [TimedGame((1, other), at(26)) for other in range(3, 12)]
    assert (_compute_median_pause([first]), _compute_median_pause([first, *again])) == (2.0, 6.0)
