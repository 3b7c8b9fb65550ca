"""The rows of a crosstable agree with its columns, and nothing in its picture overlaps."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.layouts.crosstable import (
    GroupCell,
    GroupCrosstable,
    GroupDimensions,
    Rect,
    lay_out_group,
    make_group_crosstable,
)
from pairing.draws.results import MatchOutcome, Meeting, RemovalReason, Result, ResultCause, compute_win_loss_records
from pairing.draws.stages.pools import schedule_round_robin
from pairing.draws.stages.standings import RankingFacts, rank_entries
from tests.chance import examples


def table_of(entries: list[int], meetings: list[Meeting], **evidence: dict[int, RemovalReason]) -> GroupCrosstable:
    return make_group_crosstable(
        "A", rank_entries(RankingFacts(records=compute_win_loss_records(entries, meetings), **evidence)), meetings
    )


def has_lost(cell: GroupCell) -> bool:
    return cell.credit is not None and cell.credit.result is Result.LOSS


@settings(deadline=None, max_examples=examples(60))
@given(st.integers(2, 12), st.integers(0, 1 << 32))
def test_rows_and_columns_show_the_same_games(size: int, seed: int) -> None:
    chance, entries, meetings = random.Random(seed), list(range(1, size + 1)), []
    for turn, pairs in enumerate(schedule_round_robin(entries)):
        for low, high in pairs:
            ident, (won, lost) = f"G{turn}-{low}", chance.sample([low, high], 2)
            points = {won: 150, lost: chance.randint(0, 149)}
            played = chance.random() < 0.7
            outcome = MatchOutcome.won(ident, won, lost) if played else None
            meetings.append(Meeting(ident, (low, high), outcome, points if played else {}))
    table = table_of(entries, meetings)
    assert sorted(row.entry for row in table.rows) == entries
    for at, row in enumerate(table.rows):
        assert row.cells[at].match is None
        assert sum(cell.match is not None for cell in row.cells) == size - 1
        assert (row.wins, row.losses) == (sum(c.is_won for c in row.cells), sum(has_lost(c) for c in row.cells))
        assert row.spread == sum(
            c.points - c.opponent_points for c in row.cells if c.points is not None and c.opponent_points is not None
        )
        for other, cell in enumerate(row.cells):
            mirrored = table.rows[other].cells[at]
            assert (cell.match, cell.points, cell.opponent_points) == (
                mirrored.match,
                mirrored.opponent_points,
                mirrored.points,
            )
            assert cell.is_won == has_lost(mirrored)


def test_void_and_outside_games_are_not_in_a_crosstable() -> None:
    void = Meeting("G1", (1, 2), MatchOutcome.void("G1", (1, 2)))
    again = Meeting("G2", (1, 2), MatchOutcome.won("G2", 2, 1, ResultCause.NO_SHOW))
    outside = Meeting("G3", (1, 9), MatchOutcome.won("G3", 9, 1))
    table = table_of(
        [1, 2, 3], [again, void, Meeting.penalty("X1", 3), outside], removal_reasons={1: RemovalReason.DISQUALIFIED}
    )
    assert [(row.entry, row.place) for row in table.rows] == [(2, 1), (3, 2), (1, None)]
    cells = {
        (row.entry, other.entry): cell for row in table.rows for other, cell in zip(table.rows, row.cells, strict=True)
    }
    assert (cells[2, 1].match, cells[2, 1].is_won, cells[2, 1].was_played) == ("G2", True, False)
    assert cells[3, 1].match is None
    assert not table.has_points


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("size", [2, 4, 5, 6, 8, 11])
def test_every_part_of_the_picture_has_its_own_room(size: int, stacked: bool) -> None:
    layout = lay_out_group(table_of(list(range(1, size + 1)), []), GroupDimensions(stacked=stacked))
    rects: list[Rect] = []
    for line in layout.lines:
        rects += [line.place, line.name, line.record, line.spread, *line.cells]
        assert len(line.cells) == size
    assert all(rect.x >= 0 and rect.x + rect.width <= layout.width + 1e-6 for rect in rects)
    assert all(layout.head.name.height <= rect.y and rect.y + rect.height <= layout.height + 1e-6 for rect in rects)
    area = sum(rect.width * rect.height for rect in rects)
    full = layout.width * (layout.height - layout.head.name.height)
    empty_cells = -size % -(-size // -(-size // 5)) if stacked else 0
    assert area + empty_cells * size * rects[-1].width * rects[-1].height == pytest.approx(full)
    for at, one in enumerate(rects):
        for other in rects[at + 1 :]:
            apart_x = one.x + one.width <= other.x + 1e-6 or other.x + other.width <= one.x + 1e-6
            apart_y = one.y + one.height <= other.y + 1e-6 or other.y + other.height <= one.y + 1e-6
            assert apart_x or apart_y
