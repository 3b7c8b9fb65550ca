"""The layout of a score pad: rounds down, sides across, with each round's task and the worth of cards."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from scoring.rules.book.layout import Block, Cell, Group, Heading, LineCells, Mark
from scoring.rules.variants.score_pad.pad import Bidding, Pad
from scoring.rules.variants.score_pad.pad_terms import PadTerms
from scoring.rules.variants.variant import Column, Row, Tally, total_column
from tournament.said import worded

MOST_WITH_TWO_COLUMNS: Final = 6
"""With more sides than this, points and running total share a column."""


def pad_columns(sides: tuple[str, ...], terms: PadTerms) -> tuple[Column, ...]:
    """Return the columns: the round, its task if there is one, then each side's points and total."""
    first = [
        Column(key="round", heading=worded("Round"), weight=2, text=lambda row: terms.round_at(row.number - 1).name)
    ]
    if terms.has_instructions:
        asks = Column(
            key="asks", heading=worded("This round"), weight=3, text=lambda row: terms.round_at(row.number - 1).asks
        )
        first.append(asks)
    bidding = terms.pad.bidding if terms.pad else Bidding.NONE
    if bidding is Bidding.HIGHEST:
        first.append(Column(key="bid", heading=worded("Bid"), weight=3, text=_highest_bid))
    each = [_side_columns(side, len(sides), is_bid=bidding is Bidding.EACH) for side in sides]
    return (*first, *(column for columns in each for column in columns))


def lay_out_pad(
    sides: tuple[str, ...], terms: PadTerms, rows: Sequence[Row], counted: Tally | None, blank: int
) -> tuple[Block, ...]:
    """Return the pad, the steps of a game in which each player works alone, and the worth of cards."""
    blocks = [_pad_block(sides, terms, rows, counted, blank)]
    if terms.pad and terms.pad.steps:
        blocks.append(_steps_block(sides, terms.pad, rows))
    if terms.pad:
        blocks.append(_counts_block(terms.pad))
    return tuple(blocks)


def _side_columns(side: str, sides: int, *, is_bid: bool) -> tuple[Column, ...]:
    bid = Column(
        key="side-bid",
        heading=worded("Bid"),
        side=side,
        numeric=True,
        text=lambda row: str(row.line.bids.get(side, "")),
    )
    if sides > MOST_WITH_TWO_COLUMNS:
        heading = worded("Points") if is_bid else side
        both = Column(key="running", heading=heading, side=side, numeric=True, text=lambda row: _both(row, side))
        return (bid, both) if is_bid else (both,)
    points = Column(
        key="score", heading=worded("Points"), side=side, numeric=True, text=lambda row: str(row.counted.points[side])
    )
    return (bid, points, total_column(side)) if is_bid else (points, total_column(side))


def _highest_bid(row: Row) -> str:
    """Return the highest bid, such as “We 70, no trump”."""
    if row.line.bid is None:
        return ""
    if row.line.no_trump:
        return worded("%(side)s %(bid)s, no trump", side=row.line.bid_by, bid=row.line.bid)
    return worded("%(side)s %(bid)s", side=row.line.bid_by, bid=row.line.bid)


def _both(row: Row, side: str) -> str:
    """Return the points and the total after them, such as “15 → 40”."""
    return f"{row.counted.points[side]} → {row.counted.running[side]}"


def _pad_block(
    sides: tuple[str, ...], terms: PadTerms, rows: Sequence[Row], counted: Tally | None, blank: int
) -> Block:
    columns = pad_columns(sides, terms)
    named = sum(column.side is None for column in columns)
    a_side = (len(columns) - named) // len(sides)
    lines = [_line(columns, row) for row in rows]
    is_over = counted is not None and counted.complete
    left = (len(terms.rounds) - len(rows) if terms.rounds else blank) if not is_over else 0
    lines += [_empty_line(terms, len(rows) + n, columns) for n in range(left)]
    return Block(
        title=terms.pad.title if terms.pad else "",
        headings=tuple(Heading(c.heading, c.key, c.numeric, c.weight) for c in columns),
        groups=(Group("", named), *(Group(side, a_side) for side in sides)) if a_side > 1 else (),
        lines=tuple(lines),
        foot=(
            LineCells(
                (Cell(text=worded("Total"), span=named), *(_total(side, a_side, rows, counted) for side in sides))
            ),
            LineCells((Cell(text=terms.in_words, span=len(columns)),)),
        ),
    )


def _line(columns: Sequence[Column], row: Row) -> LineCells:
    first, *rest = (column.cell(row) for column in columns)
    return LineCells((replace(first, why=row.counted.explanation), *rest), row.number)


def _empty_line(terms: PadTerms, place: int, columns: Sequence[Column]) -> LineCells:
    due = terms.round_at(place)
    known = {"round": due.name, "asks": due.asks}
    cells = (
        Cell(text=known[column.key]) if column.key in known else Cell(numeric=column.numeric, write=True)
        for column in columns
    )
    return LineCells(tuple(cells))


def _total(side: str, span: int, rows: Sequence[Row], counted: Tally | None) -> Cell:
    total = rows[-1].counted.running[side] if rows else None
    won = counted is not None and counted.winner == side
    return Cell(
        text="" if total is None else str(total), span=span, numeric=True, strong=True, write=total is None,
        mark=Mark.WON if won else Mark.NONE,
    )  # fmt: skip


def _steps_block(sides: tuple[str, ...], pad: Pad, rows: Sequence[Row]) -> Block:
    """Return a block with the round in which each side completed each step."""
    lines = []
    for number, step in enumerate(pad.steps, start=1):
        taken = (_round_of(rows, side, number) for side in sides)
        cells = (Cell(text=at, numeric=True, write=not at) for at in taken)
        lines.append(LineCells((Cell(text=str(number), numeric=True), Cell(text=step), *cells)))
    each = (Heading(side, numeric=True) for side in sides)
    headings = (Heading("", numeric=True), Heading(worded("In order"), weight=3), *each)
    return Block(title=worded("Round in which each was made"), headings=headings, lines=tuple(lines))


def _round_of(rows: Sequence[Row], side: str, total: int) -> str:
    """Return the first round after which the side has this total, or an empty text."""
    return next((str(row.number) for row in rows if row.counted.running[side] >= total), "")


def _counts_block(pad: Pad) -> Block:
    said = [text for text in (pad.wild, *pad.notes) if text]
    lines = [LineCells((Cell(text=what), Cell(text=worth))) for what, worth in pad.counts]
    lines += [LineCells((Cell(text=text, span=2),)) for text in said]
    foot = (LineCells((Cell(text=pad.source, span=2),)),)
    return Block(
        title=worded("What counts"), headings=(Heading("", weight=2), Heading("")), lines=tuple(lines), foot=foot
    )
