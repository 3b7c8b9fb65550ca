"""Groups and sites of different sizes are compared by averages per match that include all results."""

from __future__ import annotations

from itertools import combinations

import pytest

from pairing.draws.cases.standings import run_standings_case
from pairing.draws.results import EntryRemoval, MatchOutcome, Meeting, RemovalReason
from pairing.draws.stages.plan import StageKind, _compute_max_rounds, read_stage_plan
from pairing.draws.stages.pools import (
    Pool,
    PoolFacts,
    PoolPart,
    find_advancing_entries,
    iter_pool_ties,
    make_pool,
    schedule_round_robin,
)

SMALL, LARGE = (1, 2, 3), (11, 12, 13, 14, 15)
WINNERS = {(1, 2): 1, (1, 3): 1, (2, 3): 2}
"""The winner of each game in the small group. In the large group, too, the entry with the lower number wins."""


def group_games(groups: tuple[tuple[int, ...], ...], margin: int = 10) -> list[Meeting]:
    found = []
    for group in groups:
        for one, other in combinations(group, 2):
            name = f"G{one}-{other}"
            points = {one: 100, other: 100 - margin}
            found.append(Meeting(name, (one, other), MatchOutcome.won(name, one, other), points))
    return found


def a_pool(best: int | None = None, gone: dict[int, RemovalReason] | None = None, *, cut_across: bool = False) -> Pool:
    terms = read_stage_plan({"kind": "round-robin", "groups": 2, "best": best}).pool
    assert terms is not None
    parts = (PoolPart("Group 1", SMALL), PoolPart("Group 2", LARGE))
    played = PoolFacts(
        entries=(*SMALL, *LARGE),
        meetings=tuple(group_games((SMALL, LARGE))),
        parts=parts,
        removals={entry: EntryRemoval(entry, why) for entry, why in (gone or {}).items()},
        has_single_ranking=cut_across,
    )
    return make_pool(StageKind.ROUND_ROBIN, terms, played)


def test_the_line_through_all_groups_is_drawn_by_the_share_of_wins() -> None:
    # Entry 1 won 2 of 2 games, and entry 12 won 3 of 4. By the number of wins, 12 would rank above 1.
    pool = a_pool()
    assert pool.uses_averages([1, 11])
    assert [row.entry for row in pool.overall_ranking] == [11, 1, 12, 13, 2, 14, 15, 3]
    assert set(find_advancing_entries(pool, play_off_places=2, seed="x").advancing_entries) == {1, 11}
    assert str(pool.overall_ranking[1].decision_below) == "share of wins, 2 of 2 (100%) to 3 of 4 (75%)"
    assert str(pool.overall_ranking[0].decision_below) == "opponents’ wins a match, 6 in 4 to 1 in 2"


def test_averages_decide_a_final_with_too_few_places() -> None:
    going = find_advancing_entries(a_pool(best=2), play_off_places=None, seed="x", places=2)
    assert going.advancing_entries == (11, 1)
    assert set(going.entries_not_advancing) == {2, 3, 12, 13, 14, 15}


def test_one_ranking_of_all_groups_gives_the_places_in_each() -> None:
    pool = a_pool(gone={13: RemovalReason.DISQUALIFIED}, cut_across=True)
    turn = [row.entry for row in pool.overall_ranking]
    for part, ranked in pool.standings:
        assert [row.entry for row in ranked] == [entry for entry in turn if entry in part.entries]
        placed = [row.place for row in ranked if row.place is not None]
        assert placed == list(range(1, len(placed) + 1))
    (_small, small), (_large, large) = pool.standings
    assert small[0].why == "Before entry 2 by share of wins, 2 of 2 (100%) to 1 of 2 (50%)."
    assert large[1].why.startswith("Behind entry 11 by share of wins, 4 of 4 (100%) to 3 of 4 (75%). Before entry 14 ")
    assert (large[-1].entry, large[-1].place) == (13, None)


def test_head_to_head_in_a_group_follows_the_ranking_of_all() -> None:
    # Entries 1 and 2 have two wins each, and 1 beat 2. Among all four entries with two wins, the opponents' wins
    # decide.
    winners = [(1, 2, 1), (1, 3, 3), (1, 4, 1), (2, 3, 2), (2, 4, 2), (3, 4, 4), (5, 6, 5), (5, 7, 7), (5, 8, 5)]
    winners += [(6, 7, 6), (6, 8, 6), (7, 8, 8)]
    met = tuple(
        Meeting(f"G{a}-{b}", (a, b), MatchOutcome.won(f"G{a}-{b}", won, a + b - won), {won: 100, a + b - won: 90})
        for a, b, won in winners
    )
    parts = (PoolPart("Group 1", (1, 2, 3, 4)), PoolPart("Group 2", (5, 6, 7, 8)))
    terms = read_stage_plan({"kind": "round-robin", "groups": 2}).pool
    assert terms is not None
    first = {}
    for cut_across in (False, True):
        played = PoolFacts(entries=tuple(range(1, 9)), meetings=met, parts=parts, has_single_ranking=cut_across)
        pool = make_pool(StageKind.ROUND_ROBIN, terms, played)
        first[cut_across] = pool.standings[0][1][0]
        assert set(find_advancing_entries(pool, play_off_places=None, seed="x", places=1).advanced_by_lot) < {
            1,
            2,
            5,
            6,
        }
    assert str(first[False].decision_below) == "head to head, entry 1 beat entry 2"
    assert first[True].entries_at_place == (1, 2) and "Tied with entry 2" in first[True].why


def test_plain_wins_decide_if_each_group_sends_its_best() -> None:
    pool = a_pool()
    assert not pool.uses_averages(LARGE)
    (_small, ranked), (_large, large) = pool.standings
    assert str(large[0].decision_below) == "wins, 4 to 3"
    assert str(ranked[0].decision_below) == "wins, 2 to 1"


def test_places_of_the_event_follow_the_places_in_groups() -> None:
    assert list(iter_pool_ties(a_pool())) == [(11,), (1,), (12,), (2,), (13,), (3,), (14,), (15,)]
    beside = a_pool().rank_among_equals(2)
    assert beside is not None
    assert beside.why == "Behind entry 12 by share of wins, 3 of 4 (75%) to 1 of 2 (50%)."


def test_results_against_those_who_are_not_ranked_count() -> None:
    pool = a_pool(gone={15: RemovalReason.ELIMINATED})
    for entries in ([2, 13], [13, 14], list(LARGE)):
        for row in pool.rank(entries, pool.tie_breaks):
            own = pool.qualifying[row.entry].record
            assert row.record is own
    case = {
        "entries": [*SMALL, *LARGE],
        "matches": [
            {
                "sides": list(meeting.sides),
                "winner": meeting.sides[0],
                "points": {str(side): points for side, points in meeting.points.items()},
            }
            for meeting in group_games((SMALL, LARGE))
        ],
        "groups": [list(SMALL), list(LARGE)],
    }
    told = [(row["place"], row["entry"]) for row in run_standings_case(case)["places"]]
    assert told == [(row.place, row.entry) for row in a_pool().overall_ranking]


def test_opponents_wins_of_the_compared_count_those_who_are_not_compared() -> None:
    # Entry 2 beat entry 3, which has a win over 4. Entry 5 beat entry 6, which has no wins.
    won = [("a", 2, 3), ("b", 3, 4), ("c", 5, 6)]
    meetings = tuple(Meeting(name, (one, other), MatchOutcome.won(name, one, other)) for name, one, other in won)
    terms = read_stage_plan({"kind": "fixed", "games": 2, "best": 1}).pool
    assert terms is not None
    pool = make_pool(StageKind.FIXED, terms, PoolFacts(entries=(2, 3, 4, 5, 6), meetings=meetings))
    first, second = pool.rank([2, 5], pool.tie_breaks)
    assert (first.entry, second.entry) == (2, 5)
    assert str(first.decision_below) == "opponents’ wins, 1 to 0"


@pytest.mark.parametrize("field", range(2, 12))
def test_the_rounds_without_a_rematch_are_those_of_a_round_robin(field: int) -> None:
    assert _compute_max_rounds(field) == len(schedule_round_robin(list(range(1, field + 1))))


def test_only_paired_stages_can_have_too_many_rounds() -> None:
    for plan, most in (
        ({"kind": "swiss", "rounds": 6}, 5),
        ({"kind": "swiss", "rounds": 5}, None),
        ({"kind": "fixed", "games": 6}, 5),
        ({"kind": "record", "games": 7}, 5),
        ({"kind": "round-robin"}, None),
        ({"kind": "single-elimination"}, None),
    ):
        assert read_stage_plan(plan).find_rematch_limit(6) == most
    assert read_stage_plan({"kind": "swiss", "rounds": 5}).find_rematch_limit(0) is None
