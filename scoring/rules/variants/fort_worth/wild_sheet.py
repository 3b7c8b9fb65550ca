"""The printed sheet of Fort Worth Gin: a row for each wild rank, points and score of each player, and the damages.

Source: the score sheet at the end of Fort Worth Gin (John Greer, 1997).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from scoring.rules.book.layout import Block, Cell, Group, Heading, LineCells, Mark
from scoring.rules.variants.fort_worth.damages import Damages, written_money
from scoring.rules.variants.fort_worth.wild_hands import WildLine, WildTerms
from scoring.rules.variants.gin.two_sided import up_card_text
from scoring.rules.variants.variant import Row
from tournament.said import worded


def written_rank(rank: str) -> str:
    return "10" if rank == "T" else rank


@dataclass(frozen=True, slots=True)
class WildSheet:
    """The builder of the sheet of a game. `written` means that empty cells are filled in by hand.

    `order_is_known` is False if the players have not drawn for their seats yet. Then no dealer is named.
    """

    sides: tuple[str, ...]
    terms: WildTerms
    written: bool = False
    order_is_known: bool = True

    def blocks(self, rows: Sequence[Row], damages: Damages | None) -> tuple[Block, Block]:
        """Return the marked variations and the game, with all its hands whether played or not."""
        over = len(self.terms.wild)
        lines = [self._line(number, rows[number] if number < len(rows) else None, damages) for number in range(over)]
        headings, groups = (
            [Heading(worded("Dealer"), "dealer", weight=2.0), Heading(worded("Wild"), "wild")],
            [Group("", self._lead)],
        )
        if self.terms.spades:
            headings.append(Heading(worded("Turn"), "turn"))
        for side in self.sides:
            headings += [
                Heading(worded("POINTS"), "points", numeric=True),
                Heading(worded("SCORE"), "running", numeric=True),
            ]
            groups.append(Group(side, 2))
        foot = tuple(self._foot(damages))
        return self._marks(), Block(headings=tuple(headings), groups=tuple(groups), lines=tuple(lines), foot=foot)

    @property
    def _lead(self) -> int:
        """The number of columns before those of the players."""
        return 3 if self.terms.spades else 2

    def _marks(self) -> Block:
        """Return the block of variations. A variation that is not marked is not played (C 6)."""
        terms = self.terms
        marked = {
            worded("Double Negative"): terms.double_negative,
            worded("Spades"): terms.spades,
            worded("Kings Double"): terms.kings_double,
        }
        cells = (Cell(text=written_money(terms.value_cents), strong=True), *map(_mark, marked.values()))
        headings = tuple(Heading(text) for text in (worded("Value"), *marked))
        return Block(title=worded("FORT WORTH GIN"), headings=headings, lines=(LineCells(cells),))

    def _line(self, number: int, row: Row | None, damages: Damages | None) -> LineCells:
        dealer = Cell(text=self.sides[number % len(self.sides)]) if self.order_is_known else Cell(write=self.written)
        cells = [dealer, Cell(text=written_rank(self.terms.wild[number]))]
        if self.terms.spades:
            cells.append(Cell(write=self.written) if row is None else Cell(text=up_card_text(row.line.turn)))
        last = number == len(self.terms.wild) - 1
        for side in self.sides:
            won = last and damages is not None and side in damages.winners
            cells += [Cell(numeric=True, write=self.written)] * 2 if row is None else _played_cells(row, side, won)
        return LineCells(tuple(cells), None if row is None else row.number)

    def _foot(self, damages: Damages | None) -> Iterator[LineCells]:
        value = dict.fromkeys(self.sides, written_money(self.terms.value_cents))
        low, difference, paid = ({}, {}, {}) if damages is None else _sums(damages)
        if self.terms.double_negative:
            doubled = worded("Times 2") if damages and damages.doubled else worded("Not doubled") if damages else ""
            totals = {side: str(total) for side, total in damages.totals.items()} if damages else {}
            yield self._foot_line(worded("Double Negative"), doubled, totals)
        yield self._foot_line(worded("Low Score"), worded("Minus"), low)
        yield self._foot_line(worded("Difference"), worded("Equals"), difference)
        yield self._foot_line(worded("Value"), worded("Times"), value)
        yield self._foot_line(worded("Damages"), worded("Equals"), paid, damages.winners if damages else ())

    def _foot_line(self, label: str, step: str, amounts: Mapping[str, str], won: Sequence[str] = ()) -> LineCells:
        cells = [Cell(text=label, span=self._lead, strong=True)]
        for side in self.sides:
            cells.append(Cell(text=step))
            amount = amounts.get(side, "")
            mark = Mark.WON if side in won else Mark.NONE
            cells.append(Cell(text=amount, numeric=True, strong=True, mark=mark, write=self.written and not amount))
        return LineCells(tuple(cells))


def _mark(played: bool) -> Cell:
    return Cell(text=worded("played") if played else worded("not played"), strong=played)


def _played_cells(row: Row, side: str, won: bool) -> list[Cell]:
    mark = Mark.BOX if row.line.by == side else Mark.NONE
    counted = cast("WildLine", row.counted)
    points = Cell(text=str(counted.points[side]), numeric=True, mark=mark, why=counted.workings[side])
    score = Cell(text=str(counted.running[side]), numeric=True, strong=True, mark=Mark.WON if won else Mark.NONE)
    return [points, score]


def _sums(damages: Damages) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return the low score, the difference and the damages of each side: what a loser pays, or a winner wins."""
    low = dict.fromkeys(damages.totals, str(damages.low))
    difference = {side: str(total - damages.low) for side, total in damages.totals.items()}
    paid = {
        side: worded("wins %(money)s", money=written_money(cents)) if cents > 0 else written_money(-cents)
        for side, cents in damages.cents.items()
    }
    return low, difference, paid
