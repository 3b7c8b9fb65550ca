"""The partnership game of the Gin Rummy Association's tournament rules of 2012: teams side by side, boards netted.

Its rules cover only the differences from the singles game: 250 points, teams, a center deck for the knock card, “no
bonus for boxes, blitzes, or spades”. The singles rules say how a board is played and counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from scoring.rules.book.layout import Cell
from scoring.rules.book.options import Numbers, Option, Options, preset
from scoring.rules.book.rulebook import Rulebook
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hand_reader import HandReader
from scoring.rules.hand.hands import Outcome, Pointed, Verdict, most_points
from scoring.rules.hand.knocking import KnockRule, Showdown
from scoring.rules.hand.terms import GIN_OPTIONS, GinTerms
from scoring.rules.variants.gin.boards import BoardsReader, TeamHand, doubt_boards, net, write_boards
from scoring.rules.variants.gin.gra_rules import HOW_BOARDS_COUNT, PARTNERSHIP_RULES
from scoring.rules.variants.gin.two_sided import (
    GRA_OPTIONS,
    GRA_TOPICS,
    hand_fields,
    outcome_text,
    side_columns,
    up_card_field,
    up_card_text,
    written_showdown,
    written_up,
)
from scoring.rules.variants.table_draw import LOW_DEALS_AND_KEEPS, TableDraw
from scoring.rules.variants.totals import TotalsLine
from scoring.rules.variants.variant import Column, Doubt, FieldKind, LineField, LineTally, Row, SheetStanding, Variant
from tournament.cases import Fields
from tournament.said import joined, worded

OFFERED = ("target", "knock", "ace", "gin_bonus", "undercut_bonus")
"""The options of a gin hand in this game. It has no boxes, shutouts, spades (partnership 9) or big gin."""

BOARDS = Option(
    name="boards",
    label=worded("Boards"),
    brief=worded("{} boards"),
    meaning=worded("How many hands of the two teams are played side by side and netted."),
    default=2,
    numbers=Numbers(1, 10),
    lenient=0,
)


DRAW = replace(
    LOW_DEALS_AND_KEEPS,
    rule=worded("GRA partnership rule 4"),
    question=worded("Which team cut the low card?"),
    words=worded("The team with the low card deals first and keeps score. Ace is low."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnershipLine(LineTally):
    boards: tuple[Verdict, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumn(Column):
    """A column for the result of a board (from 0), with its own calculation."""

    board: int

    def cell(self, row: Row) -> Cell:
        return Cell(text=self.text(row), why=_verdict(row, self.board).explanation)


class GraPartnership(Variant[TeamHand, SheetStanding]):
    name = "gra-partnership"
    title = worded("Gin Rummy Association, partnership")
    about = worded("Two teams side by side; the boards of a hand are netted, and the team ahead scores the difference.")
    signers = worded("One of each team signs.")
    rulebook = Rulebook(
        worded("Gin Rummy Association, Gin Rummy Rules for Tournament Play, 2012: partnership"),
        GRA_TOPICS,
        summary=PARTNERSHIP_RULES,
        is_numbered=True,
        besides=HOW_BOARDS_COUNT,
        follows="gra-singles",
    )
    options: ClassVar[tuple[Option, ...]] = (
        *preset(
            [option for option in GIN_OPTIONS if option.name in OFFERED],
            {"target": worded("GRA partnership rule 1"), **GRA_OPTIONS},
            target=250,
        ),
        BOARDS,
    )

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        unplayed = {option.name: option.default for option in GIN_OPTIONS}
        self.terms = GinTerms.of(unplayed | dict(options))
        self.boards = options["boards"] if isinstance(options["boards"], int) else 0
        self.reader = BoardsReader(HandReader(sides, self.terms, self.rulebook), self.boards)

    def line_fields(self) -> tuple[LineField, ...]:
        boards = LineField(
            name="boards", label=worded("Board"), kind=FieldKind.GROUP, required=True,
            fields=hand_fields(self.terms), fewest=self.boards, most=self.boards,
        )  # fmt: skip
        return (up_card_field(self.terms), boards)

    def table_draw(self) -> TableDraw:
        return DRAW

    def read_line(self, fields: Fields) -> TeamHand | None:
        return self.reader.read(fields)

    def write_line(self, line: TeamHand) -> dict[str, Any]:
        return write_boards(line)

    def start(self) -> SheetStanding:
        return SheetStanding(dict.fromkeys(self.sides, 0))

    def count(self, standing: SheetStanding, line: TeamHand) -> tuple[SheetStanding, PartnershipLine]:
        netted = net(line, self.sides, self.terms, self.rulebook)
        points = {side: netted.points if side == netted.to else 0 for side in self.sides}
        totals = {side: standing.totals[side] + points[side] for side in self.sides}
        winner = next((side for side in self.sides if totals[side] >= self.terms.target), None)
        counted = PartnershipLine(
            points=points, running=totals, event=netted.event, explanation=netted.explanation, boards=netted.boards
        )
        return replace(standing, totals=totals, winner=winner, complete=winner is not None), counted

    def doubts(self, line: TeamHand, earlier: Sequence[TeamHand]) -> Iterator[Doubt]:
        """Yield the doubts about a line.

        One of them is the dealer: “The team that lost the points deals the next hand” (GRA 2012, partnership 8).
        """
        yield from doubt_boards(line, earlier, self.terms, self.rulebook)
        winner = net(earlier[-1], self.sides, self.terms, self.rulebook).to if earlier else None
        if winner is not None and any(board.dealer == winner for board in line.boards):
            message = worded(
                "%(winner)s won the hand before: the team that lost the points deals, GRA partnership rule 8.",
                winner=winner,
            )
            yield Doubt("winner-deals", message)

    def knock_rule(self, up: PlayingCard | None) -> KnockRule:
        return KnockRule.under(up, self.terms, self.aces)

    def showdown_line(self, shown: Showdown) -> dict[str, Any]:
        """Return a line with this hand as the first board. The other boards are written as thrown in."""
        others = [{"outcome": str(Outcome.VOID)}] * (self.boards - 1)
        return {**written_up(shown.up), "boards": [written_showdown(shown), *others]}

    def points_line(self, side: str, points: int) -> TeamHand:
        nobody = (Pointed(to=None, points=0),) * (self.boards - 1)
        return TeamHand(None, (Pointed(to=side, points=points), *nobody))

    def take_totals(self, standing: SheetStanding, line: TotalsLine) -> SheetStanding:
        winner = next((side for side in self.sides if line.totals[side] >= self.terms.target), None)
        return replace(standing, totals=dict(line.totals), winner=winner, complete=winner is not None)

    def most_points(self) -> int:
        return self.boards * most_points(self.terms, None)

    def columns(self) -> tuple[Column, ...]:
        hand = Column(key="hand", heading=worded("Hand"), text=lambda row: str(row.number), numeric=True)
        up = Column(key="up", heading=worded("Up card"), text=lambda row: up_card_text(row.line.up))
        boards = (_board_column(board) for board in range(self.boards))
        return (hand, up, *boards, *(column for side in self.sides for column in side_columns(side)))


def _board_column(board: int) -> BoardColumn:
    """Return the column of a board. The first has the key `outcome`, where a sheet marks corrections."""
    key = "board" if board else "outcome"
    text = worded("Board %(board)s", board=board + 1)
    return BoardColumn(key=key, heading=text, board=board, weight=2.5, text=lambda row: _board_text(row, board))


def _board_text(row: Row, board: int) -> str:
    """Describe the result of a board, such as “knock, 5 against 20: 15 to A”."""
    verdict = _verdict(row, board)
    outcome = outcome_text(row.line.boards[board], verdict.event)
    if verdict.to is None:
        return outcome
    return joined(": ", [outcome, worded("%(points)s to %(side)s", points=verdict.points, side=verdict.to)])


def _verdict(row: Row, board: int) -> Verdict:
    if not isinstance(row.counted, PartnershipLine):
        raise TypeError("a line of a partnership sheet is counted as one")
    return row.counted.boards[board]
