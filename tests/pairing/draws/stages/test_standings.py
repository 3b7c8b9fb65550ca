import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.results import MatchOutcome, Meeting, RemovalReason, WinLossRecord, compute_win_loss_records
from pairing.draws.stages.standings import (
    RankedEntry,
    RankingFacts,
    TieBreak,
    TieDecision,
    group_tied_entries,
    rank_entries,
)
from tests.chance import examples


def records(*won: tuple[int, int], byes: tuple[int, ...] = (), margin: int = 10) -> dict[int, WinLossRecord]:
    """Return the win-loss records that result from these games and byes.

    Each game is a winner and a loser, and is won by `margin` points.
    """
    meetings = [
        Meeting(f"G{n}", (one, other), MatchOutcome.won(f"G{n}", one, other), {one: 100, other: 100 - margin})
        for n, (one, other) in enumerate(won)
    ]
    meetings += [Meeting.bye(f"B{n}", entry) for n, entry in enumerate(byes)]
    return compute_win_loss_records(sorted({entry for pair in won for entry in pair} | set(byes)), meetings)


def places(ranked: tuple[RankedEntry, ...]) -> list[tuple[int | None, int]]:
    return [(row.place, row.entry) for row in ranked]


def test_a_bye_is_a_win_and_a_tie_is_shared() -> None:
    ranked = rank_entries(RankingFacts(records=records((1, 2), byes=(3,))), [TieBreak.WINS, TieBreak.LOSSES])
    assert places(ranked) == [(1, 1), (1, 3), (3, 2)]
    assert ranked[1].why == (
        "Before entry 2 by wins, 1 to 0. Tied with entry 1 in everything that counts: they share places 1 to 2."
    )
    assert group_tied_entries(ranked) == ((1, 3), (2,))


def test_fewest_losses() -> None:
    ahead = rank_entries(RankingFacts(records=records((1, 3), (2, 4), (3, 2))), [TieBreak.WINS, TieBreak.LOSSES])
    assert places(ahead) == [(1, 1), (2, 2), (2, 3), (4, 4)]
    assert str(ahead[0].decision_below) == "fewest losses, 0 to 1"


def test_opponents_wins_count_everybody_met_and_no_bye() -> None:
    known = records((1, 5), (2, 6), (5, 7), byes=(3,))
    ranked = rank_entries(RankingFacts(records=known), [TieBreak.WINS, TieBreak.OPPONENTS_WINS])
    assert [(row.entry, row.place) for row in ranked if row.record.wins == 1] == [(1, 1), (5, 1), (2, 3), (3, 3)]
    assert str(ranked[1].decision_below) == "opponents’ wins, 1 to 0"


def test_point_spread() -> None:
    known = {**records((1, 2), margin=30), **records((3, 4), margin=50)}
    ranked = rank_entries(RankingFacts(records=known), [TieBreak.WINS, TieBreak.POINT_SPREAD])
    assert [row.entry for row in ranked] == [3, 1, 2, 4]
    assert ranked[2].why == "Behind entry 1 by wins, 1 to 0. Before entry 4 by point spread, −30 to −50."


HEAD = [TieBreak.WINS, TieBreak.HEAD_TO_HEAD]


def test_head_to_head_of_two() -> None:
    ranked = rank_entries(RankingFacts(records=records((2, 1), (1, 3), (3, 2))), HEAD)
    assert places(ranked) == [(1, 1), (1, 2), (1, 3)]
    ranked = rank_entries(RankingFacts(records=records((2, 1), (1, 3))), HEAD)
    assert places(ranked) == [(1, 2), (2, 1), (3, 3)]
    assert ranked[0].why == "Before entry 1 by head to head, entry 2 beat entry 1."


def test_head_to_head_of_three_applies_again_to_those_still_tied() -> None:
    # All four have met: 1 beat 2, 2 beat 3, 3 beat 1, and all three beat 4, which won its other games.
    games = [(1, 2), (2, 3), (3, 1), (1, 4), (2, 4), (3, 4), (4, 8), (4, 9)]
    ranked = rank_entries(RankingFacts(records=records(*games)), HEAD)
    assert places(ranked)[:4] == [(1, 1), (1, 2), (1, 3), (4, 4)]
    assert str(ranked[2].decision_below) == "head to head, 2 to 0 wins among entries 1, 2, 3 and 4"
    split = rank_entries(RankingFacts(records=records((1, 2), (1, 3), (2, 3), (2, 8), (3, 8), (3, 9))), HEAD)
    assert places(split)[:3] == [(1, 1), (2, 2), (3, 3)]
    assert [str(row.decision_below) for row in split[:2]] == [
        "head to head, 2 to 1 wins among entries 1, 2 and 3",
        "head to head, 1 to 0 wins among entries 1, 2 and 3",
    ]


def test_head_to_head_applies_again_to_each_tied_part() -> None:
    # All four have two wins. Among them, 1 and 2 won twice, and 3 and 4 won once. 1 beat 2, and 3 beat 4.
    games = [(1, 2), (1, 3), (4, 1), (2, 3), (2, 4), (3, 4), (3, 8), (4, 9)]
    ranked = rank_entries(RankingFacts(records=records(*games)), HEAD)
    assert places(ranked)[:4] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert str(ranked[0].decision_below) == "head to head, entry 1 beat entry 2"


def test_head_to_head_needs_all_to_have_met() -> None:
    ranked = rank_entries(RankingFacts(records=records((1, 2), (1, 3), (2, 8), (2, 9), (3, 8), (3, 9))), HEAD)
    assert places(ranked)[:3] == [(1, 1), (2, 2), (2, 3)]
    assert str(ranked[0].decision_below) == "head to head, entry 1 beat entries 2 and 3"
    unclear = rank_entries(RankingFacts(records=records((1, 2), (2, 8), (3, 8))), HEAD)
    assert places(unclear)[:3] == [(1, 1), (1, 2), (1, 3)]


def test_a_play_off_and_a_recorded_draw_decide_between_those_they_name() -> None:
    known = records((1, 8), (2, 8), (3, 8), (4, 8))
    order = [TieBreak.WINS, TieBreak.PLAY_OFF, TieBreak.DRAW]
    evidence = RankingFacts(records=known, play_offs=[{1: 1, 2: 1}, {1: 2, 2: 1, 3: 2, 4: 2}], draws=[[4, 1, 3, 2]])
    ranked = rank_entries(evidence, order)
    assert places(ranked) == [(1, 2), (2, 4), (3, 1), (4, 3), (5, 8)]
    assert ranked[0].why == "Before entry 4 by the play-off, place 1 to 2."
    assert str(ranked[1].decision_below) == "lot, drawn number 1 to 2"
    partly = rank_entries(RankingFacts(records=known, play_offs=[{1: 2, 2: 1}], draws=[[4, 1]]), order)
    assert [row.place for row in partly] == [1, 1, 1, 1, 5]


def test_the_disqualified_have_no_place_and_the_others_move_up() -> None:
    gone = {1: RemovalReason.DISQUALIFIED, 2: RemovalReason.WITHDRAWN}
    ranked = rank_entries(RankingFacts(records=records((1, 2), (1, 3), (2, 3)), removal_reasons=gone), [TieBreak.WINS])
    assert places(ranked) == [(1, 2), (2, 3), (None, 1)]
    assert ranked[-1].why == "Disqualified: no place."


def test_an_empty_ranking_and_one_entry() -> None:
    assert rank_entries(RankingFacts(records={})) == ()
    assert rank_entries(RankingFacts(records={4: WinLossRecord(4)}))[0].why == "Alone in the standings."


def plain_value(by: TieBreak, record: WinLossRecord, known: dict[int, WinLossRecord]) -> int:
    if by is TieBreak.OPPONENTS_WINS:
        return sum(known[own.opponent].wins for own in record.credits if own.opponent is not None)
    return {TieBreak.WINS: record.wins, TieBreak.LOSSES: -record.losses, TieBreak.POINT_SPREAD: record.spread}[by]


PLAIN = [TieBreak.WINS, TieBreak.LOSSES, TieBreak.OPPONENTS_WINS, TieBreak.POINT_SPREAD]


@settings(max_examples=examples(100))
@given(st.integers(2, 12), st.permutations(PLAIN), st.randoms(use_true_random=False))
def test_the_reason_of_each_place_agrees_with_sorting_by_hand(
    count: int, order: list[TieBreak], chance: random.Random
) -> None:
    games = [(*chance.sample(range(1, count + 1), 2), chance.randint(1, 3)) for _ in range(2 * count)]
    meetings = [
        Meeting(f"G{n}", (one, other), MatchOutcome.won(f"G{n}", one, other), {one: 10 * margin, other: 0})
        for n, (one, other, margin) in enumerate(games)
    ]
    known = compute_win_loss_records(range(1, count + 1), meetings)
    key = {entry: tuple(-plain_value(by, record, known) for by in order) for entry, record in known.items()}
    ranked = rank_entries(RankingFacts(records=known), order)
    assert [row.entry for row in ranked] == sorted(known, key=lambda entry: (key[entry], entry))
    for upper, lower in pairwise(ranked):
        if key[upper.entry] == key[lower.entry]:
            assert upper.place == lower.place
            assert lower.entry in upper.tied_with
            continue
        first = next(
            i for i, (one, other) in enumerate(zip(key[upper.entry], key[lower.entry], strict=True)) if one != other
        )
        assert upper.decision_below == lower.decision_above
        assert upper.decision_below is not None
        assert upper.decision_below.tie_break is order[first]
        sign = 1 if order[first] is TieBreak.LOSSES else -1
        assert upper.decision_below.values == (sign * key[upper.entry][first], sign * key[lower.entry][first])


@pytest.mark.parametrize("seed", range(5))
def test_head_to_head_of_two_never_ranks_the_loser_first(seed: int) -> None:
    chance = random.Random(seed)
    known = records(*(tuple(chance.sample(range(1, 9), 2)) for _ in range(12)))
    for row in rank_entries(RankingFacts(records=known), HEAD):
        decision = row.decision_below
        if decision is not None and decision.tie_break is TieBreak.HEAD_TO_HEAD and len(decision.tied_entries) == 2:
            games = [own for own in row.record.credits if own.opponent == decision.behind]
            assert 2 * sum(own.credit.result.value == "win" for own in games) > len(games)


def test_the_short_reason_compares_with_the_next_place() -> None:
    first, second, third, out = rank_entries(
        RankingFacts(records=records((1, 2), (1, 3), (2, 3), (3, 4)), removal_reasons={4: RemovalReason.DISQUALIFIED}),
        [TieBreak.WINS, TieBreak.LOSSES, TieBreak.HEAD_TO_HEAD],
    )
    assert first.short_reason == "Before entry 2 by wins, 2 to 1."
    assert second.why == "Behind entry 1 by wins, 2 to 1. Before entry 3 by fewest losses, 1 to 2."
    assert second.short_reason == "Before entry 3 by fewest losses, 1 to 2."
    assert third.short_reason == third.why == "Behind entry 2 by fewest losses, 1 to 2."
    assert out.short_reason == "Disqualified: no place."


@pytest.mark.parametrize(
    ("decision", "text"),
    [
        (TieDecision(TieBreak.POINT_SPREAD, 4, 9, (82, -4), (4, 9)), "point spread, +82 to −4"),
        (
            TieDecision(TieBreak.POINT_SPREAD, 4, 9, (50, 50), (4, 9), (2, 3)),
            "point spread a match, +50 in 2 to +50 in 3",
        ),
        (
            TieDecision(TieBreak.HEAD_TO_HEAD, 1, 2, (3, 1), tuple(range(1, 41))),
            "head to head, 3 to 1 wins among entries 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 … (40 in all)",
        ),
    ],
)
def test_a_decision_is_a_clause(decision: TieDecision, text: str) -> None:
    assert str(decision) == text
