from __future__ import annotations

from datetime import UTC, datetime
from itertools import combinations

import pytest

from pairing.draws.order import order_by_lot
from pairing.draws.results import Credit, EntryRemoval, MatchOutcome, Meeting, RemovalReason, Result, ResultCause
from pairing.draws.stages.plan import StageKind, read_stage_plan
from pairing.draws.stages.pools import Pool, PoolFacts, PoolPart, find_advancing_entries, make_pool

WINNERS, LOSERS = (2, 9, 5), (7, 4, 8)


def won(name: str, winner: int, loser: int, points: int = 0) -> Meeting:
    return Meeting(name, (winner, loser), MatchOutcome.won(name, winner, loser), {winner: points, loser: 0})


def three_games(best: int, play_offs: tuple[dict[int, int], ...] = ()) -> Pool:
    """Return a pool in which six entries played one game each. All winners are tied, and so are all losers."""
    terms = read_stage_plan({"kind": "fixed", "games": 1, "best": best}).pool
    assert terms is not None
    pairs = zip(WINNERS, LOSERS, strict=True)
    met = tuple(won(f"G{one}", one, two) for one, two in pairs)
    played = PoolFacts(entries=(*WINNERS, *LOSERS), meetings=met, play_offs=play_offs)
    return make_pool(StageKind.FIXED, terms, played)


@pytest.mark.parametrize("seed", ["friday", "saturday", "sunday", "monday"])
def test_the_lots_of_the_stage_decide_which_tied_entries_advance(seed: str) -> None:
    going = find_advancing_entries(three_games(best=2), play_off_places=None, seed=seed)
    drawn = order_by_lot(sorted(WINNERS), seed=seed)[:2]
    assert set(going.advancing_entries) == set(going.advanced_by_lot) == set(drawn)
    fewer = find_advancing_entries(three_games(best=3), play_off_places=None, seed=seed, places=1)
    assert fewer.advancing_entries == fewer.advanced_by_lot == drawn[:1]


def test_only_entries_that_advance_by_lot_are_listed() -> None:
    # Two of three group winners advance. Entry 1 won twice, entries 3 and 4 won once each, and entry 5 won one of three
    # games.
    terms = read_stage_plan({"kind": "round-robin", "groups": 3, "best": 1}).pool
    assert terms is not None
    nobody = [Meeting(name, (5, 6), MatchOutcome.lost_by_all(name, (5, 6))) for name in ("C2", "C3")]
    met = (won("A1", 1, 2), won("A2", 1, 2), won("B1", 3, 4), won("B2", 4, 3), won("C1", 5, 6), *nobody)
    parts = (PoolPart("A", (1, 2)), PoolPart("B", (3, 4)), PoolPart("C", (5, 6)))
    pool = make_pool(StageKind.ROUND_ROBIN, terms, PoolFacts(entries=(1, 2, 3, 4, 5, 6), meetings=met, parts=parts))
    for seed in ("friday", "saturday", "sunday", "monday"):
        going = find_advancing_entries(pool, play_off_places=None, seed=seed, places=2)
        drawn = order_by_lot((3, 4), seed=seed)[:1]
        assert (going.advancing_entries, going.advanced_by_lot) == ((1, *drawn), drawn)


def test_a_play_off_ignores_earlier_play_offs() -> None:
    line = find_advancing_entries(three_games(2, ({9: 1, 2: 2, 5: 2},)), play_off_places=2, seed="friday")
    assert (line.advancing_entries, set(line.play_off), line.open_places) == ((), set(WINNERS), 2)


def test_group_winners_advance_before_runners_up() -> None:
    # Entry 2, the runner-up of its group, won more games than entry 11, the winner of the other group.
    terms = read_stage_plan({"kind": "round-robin", "groups": 2, "best": 2}).pool
    assert terms is not None
    four, three = (1, 2, 3, 4), (11, 12, 13)
    ends = [*combinations(four, 2), (11, 12), (12, 13), (13, 11)]
    points = {11: 90, 12: 50, 13: 10}
    met = tuple(won(f"G{turn}", one, two, points.get(one, 0)) for turn, (one, two) in enumerate(ends))
    parts = (PoolPart("Group 1", four), PoolPart("Group 2", three))
    pool = make_pool(StageKind.ROUND_ROBIN, terms, PoolFacts(entries=(*four, *three), meetings=met, parts=parts))
    assert [row.entry for row in pool.overall_ranking][:2] == [1, 2]
    assert find_advancing_entries(pool, play_off_places=None, seed="friday").advancing_entries == (1, 11, 2, 12)


def out(at: int, entry: int, why: RemovalReason) -> dict[int, EntryRemoval]:
    return {entry: EntryRemoval(entry, why, datetime(2026, 11, 28, 12, at, tzinfo=UTC))}


@pytest.mark.parametrize(("first", "later"), [(4, 9), (9, 4)])
def test_of_two_removed_entries_the_later_keeps_its_walkover(first: int, later: int) -> None:
    other, gone = out(0, 7, RemovalReason.DISQUALIFIED), out(1, first, RemovalReason.WITHDRAWN)
    assert Meeting("G1", (4, 9)).with_walkovers(other).outcome is None
    ended = Meeting("G1", (4, 9)).with_walkovers(other | gone)
    assert ended.outcome == MatchOutcome.won("G1", later, first, ResultCause.FORFEIT)
    at_last = out(2, later, RemovalReason.NO_SHOW)
    assert Meeting("G1", (4, 9)).with_walkovers(other | gone | at_last) == ended
    assert Meeting("G1", (4, 9)).with_walkovers(at_last | gone | other) == ended


def test_two_removed_at_once_both_lose_by_their_own_cause() -> None:
    gone = out(1, 4, RemovalReason.WITHDRAWN) | out(1, 9, RemovalReason.NO_SHOW)
    ended = Meeting("G1", (4, 9)).with_walkovers(gone).outcome
    assert ended is not None and ended.winner is None
    assert ended.match == "G1"
    assert ended.credits == {side: Credit(Result.LOSS, gone[side].why.cause) for side in (4, 9)}
    assert ended.credits[4].cause is not ResultCause.NO_SHOW


def test_a_removed_entry_alone_loses_its_reopened_game() -> None:
    gone = out(1, 9, RemovalReason.NO_SHOW) | out(2, 4, RemovalReason.NO_SHOW)
    ended = Meeting("G1", (4,)).with_walkovers(gone).outcome
    assert ended == MatchOutcome("G1", None, {4: Credit(Result.LOSS, ResultCause.NO_SHOW)})
