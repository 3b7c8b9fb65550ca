"""What a variant is: the base that each file in `variants/` overrides, and the values it answers with.

A variant is made for one sheet, `GraSingles(sides, options)`, and holds nothing but those. A sheet is a fold over
its lines: `start`, then `count` for each, then `close`.

    class attributes    name, title, edition, sides, options, rulebook   what the form and the rule sheet show
    line_fields         what a line asks for                             form, paper
    read_line           what may stand on a line, strictly               JSON, API, form
    start, count, close how a line counts and when it is over            tally
    doubts              what may stand there but is improbable           form
    columns, blocks     how a line and the whole sheet are shown         sheet on screen, paper
    knock_rule, showdown_line   what cards laid down amount to           the page of hands
    table_draw          what is drawn for before play                    form, paper, API
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Any, ClassVar, Generic, Self, TypeVar

from scoring.rules.book.layout import Block, Cell, Group, Heading, LineCells, Mark, blank_lines
from scoring.rules.book.options import Option, Options, Preset
from scoring.rules.book.rulebook import Particular, Rulebook
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import FINISHES, OUTCOME_WORDS, Outcome
from scoring.rules.hand.knocking import KnockRule, Showdown
from scoring.rules.hand.melds import Ace
from scoring.rules.variants.table_draw import TableDraw
from scoring.rules.variants.totals import TOTALS, WORDS, TotalsLine
from tournament.cases import Fields, shortened
from tournament.errors import Problem
from tournament.said import worded


class FieldKind(StrEnum):
    """How a field of a line is filled in."""

    CARD = "card"
    CARDS_A_SIDE = "cards a side"
    CHOICE = "choice"
    SIDE = "side"
    NUMBER = "number"
    NUMBER_A_SIDE = "number a side"
    SWITCH = "switch"
    GROUP = "group"
    """Several fields together, `fewest` to `most` times over: the boards of a partnership line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineField:
    """One thing a line asks for.

    `outcomes` says with which values of the field `depends_on` it is asked for (a switch's are "true" and "false");
    empty: with all of them. `lowest` is the least number taken, None: any. `fields` are those of a group, which stands
    on the line as a list of objects. `question` is the label as a phone asks it. `aside`: seldom needed, folded away.
    A number a side that nobody types is 0 for the side named in the field `zero_of`, with the `zero_with` outcomes:
    who goes gin counts nothing. `verbs`: what the side did who ended the hand so, by answer: “knocked”.
    """

    name: str
    label: str
    kind: FieldKind
    question: str = ""
    hint: str = ""
    required: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    outcomes: tuple[str, ...] = ()
    depends_on: str = "outcome"
    lowest: int | None = 0
    fields: "tuple[LineField, ...]" = ()
    fewest: int = 1
    most: int = 1
    aside: bool = False
    zero_of: str = ""
    zero_with: tuple[str, ...] = ()
    verbs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SheetStanding:
    """How a sheet stands between two lines. `winner` is None while it is open, or equal."""

    totals: Mapping[str, int]
    complete: bool = False
    winner: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTally:
    """What one line is worth to each side, the totals after it, its event, and the working in words.

    A variant whose answer carries more (the columns of three games, the roles) extends this and `as_json`.
    """

    points: Mapping[str, int]
    running: Mapping[str, int]
    event: str
    explanation: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"points": dict(self.points), "running": dict(self.running), "event": str(self.event)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A sheet, counted. `settlement` None: the rule set has none, or the sheet is still open.

    A variant whose answer carries more (games, winners) extends this and `as_json`.
    """

    complete: bool
    winner: str | None
    totals: Mapping[str, int]
    lines: tuple[LineTally, ...]
    settlement: Mapping[str, int] | None = None

    @property
    def stakes_cents(self) -> Mapping[str, int] | None:
        """What each side gets of the others (below zero: pays); None: no stakes, or the sheet is still open."""
        return None

    def as_json(self) -> dict[str, Any]:
        """The answer of the `tally` command, without `ok`."""
        answer: dict[str, Any] = {
            "complete": self.complete,
            "winner": self.winner,
            "totals": dict(self.totals),
            "lines": [line.as_json() for line in self.lines],
        }
        if self.settlement is not None:
            answer["settlement"] = dict(self.settlement)
        return answer


@dataclass(frozen=True, slots=True)
class Doubt:
    """Improbable, not impossible: it warns, and a reason overrides it."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line as the sheet shows it. `number` counts from 1."""

    number: int
    line: Any
    counted: LineTally


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of the sheet, on screen and on paper; `side` where it belongs to one of them."""

    key: str
    heading: str
    text: Callable[[Row], str] = field(repr=False)
    side: str | None = None
    numeric: bool = False
    weight: float = 1.0

    def cell(self, row: Row) -> Cell:
        """What stands in this column for that line: points are boxed, running totals are what the eye looks for."""
        text = self.text(row)
        mark = Mark.BOX if self.key == "points" and text else Mark.NONE
        why = row.counted.explanation if self.key == "outcome" else ""
        return Cell(text=text, numeric=self.numeric, mark=mark, strong=self.key == "running", why=why)


LineT = TypeVar("LineT")
StandingT = TypeVar("StandingT", bound=SheetStanding)


class Variant(ABC, Generic[LineT, StandingT]):
    """One way to score a game, for the sides and options of one sheet."""

    name: ClassVar[str]
    """As in CONTRACTS.md: `gra-singles`."""
    title: ClassVar[str]
    about: ClassVar[str]
    """What sort of game it is, in one sentence: by it a director chooses."""
    edition: ClassVar[int] = 1
    """Raised when the same lines would count otherwise: what was signed under an edition stays under it."""
    fewest_sides: ClassVar[int] = 2
    most_sides: ClassVar[int] = 2
    rulebook: ClassVar[Rulebook]
    options: ClassVar[tuple[Option, ...]]
    presets: ClassVar[tuple[Preset, ...]] = ()
    side_names: ClassVar[tuple[str, ...]] = ()
    """What each side is called where it has a name of its own: `("in the box first", …)`; empty: by its players."""
    sides_are_teams: ClassVar[bool] = False
    """Whether no entrant is a side: all who meet play for one of the teams of `side_names` (Metzker)."""
    line_name: ClassVar[str] = worded("hand")
    """What a line is in this game's words: a hand, a round."""
    low_wins: bool = False
    """Where an option decides it, a variant sets its own."""
    lines_stand_alone: ClassVar[bool] = False
    """Whether a line can be judged though one above it could not be read: nothing hangs on the order of the lines."""
    signers: ClassVar[str] = worded("Both players sign.")
    """Who signs, as the paper says it (GRA 2012, singles 7; partnership 5)."""
    signs_besides: ClassVar[tuple[str, ...]] = ()
    """Who else has a line to sign on under the paper card, besides one for each side."""
    aces: ClassVar[Ace] = Ace.LOW
    """Where an ace may stand in a run, in a game whose hands are sets and runs."""
    finishes: ClassVar[Mapping[Outcome, str]] = {outcome: OUTCOME_WORDS[outcome] for outcome in FINISHES}
    """What a player says when laying a hand down, in this game's words."""

    order_is_known: bool = True
    """False: what the players draw for is not on the card yet, and nothing that follows from it is shown."""

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        """`sides` empty: they could not be read, and any name is let pass. What the options mean is the variant's."""
        self.sides = sides

    @abstractmethod
    def table_draw(self) -> TableDraw:
        """What the cut or the draw before the first hand decides, as its rules say it."""

    def before_the_draw(self) -> Self:
        """The same, its sides not in an order that was drawn: nothing that follows from it is shown."""
        made = copy(self)
        made.order_is_known = False
        return made

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {option.name: option.default for option in cls.options}

    @abstractmethod
    def line_fields(self) -> tuple[LineField, ...]:
        """What a line asks for under these options, in the order of the form."""

    @abstractmethod
    def read_line(self, fields: Fields) -> LineT | None:
        """The line, or None and the problems with it; it asks for every field and finishes."""

    @abstractmethod
    def write_line(self, line: LineT) -> dict[str, Any]:
        """The line as `read_line` takes it."""

    @abstractmethod
    def start(self) -> StandingT:
        """Before the first line."""

    @abstractmethod
    def count(self, standing: StandingT, line: LineT) -> tuple[StandingT, LineTally]:
        """How the sheet stands after that line, and what the line was worth."""

    def close(self, standing: StandingT, rows: Sequence[LineTally]) -> Tally:
        """The answer, once every line is counted."""
        return Tally(complete=standing.complete, winner=standing.winner, totals=standing.totals, lines=tuple(rows))

    def leaders(self, counted: Tally) -> tuple[str, ...]:
        """Who is ahead on a sheet that is not complete: one side, or several that are level."""
        best = (min if self.low_wins else max)(counted.totals.values())
        return tuple(side for side in self.sides if counted.totals[side] == best)

    def refusals(self, standing: StandingT, line: LineT | None) -> Iterable[Problem]:
        """Why that line (None: not readable) cannot stand on the sheet as it is; paths from the line."""
        if standing.complete:
            who = (
                worded("%(winner)s has won it", winner=shortened(standing.winner))
                if standing.winner
                else worded("it ended without a winner")
            )
            message = worded(
                "The sheet was complete before this line: %(who)s. Nothing can be recorded after that.", who=who
            )
            yield Problem("after-end", "", message)

    @abstractmethod
    def doubts(self, line: LineT, earlier: Sequence[LineT]) -> Iterator[Doubt]:
        """What is improbable about a line, given the ones recorded before it."""

    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """The sheet's columns, from the left."""

    def blocks(self, rows: Sequence[Row], counted: Tally | None = None, *, blank: int = 0) -> tuple[Block, ...]:
        """The whole sheet as the players know it, with `blank` empty lines after the recorded ones.

        `counted` is the tally of exactly these rows, for what stands at the foot; None before play.

        Here: one block of `columns`, the sides' names over their own. A variant with a sheet of its own overrides it.
        """
        columns = self.columns()
        lines = [LineCells(tuple(_cells(columns, row)), row.number) for row in rows]
        lines += blank_lines(len(columns), blank, first=len(rows) + 1)
        headings = tuple(Heading(column.heading, column.key, column.numeric, column.weight) for column in columns)
        over = groupby(columns, key=lambda column: column.side)
        groups = tuple(Group(side or "", len(list(own))) for side, own in over)
        return (Block(headings=headings, groups=groups, lines=tuple(lines)),)

    def knock_rule(self, up: PlayingCard | None) -> KnockRule | None:
        """When a hand may be laid down under that up card; None: its hands are not sets and runs of plain cards."""
        return None

    def showdown_line(self, shown: Showdown) -> dict[str, Any]:
        """The line that records two hands laid down, as `read_line` takes it; where there is a `knock_rule`."""
        raise NotImplementedError(f"hands of {self.name} are not laid down in sets and runs")

    def particulars(self) -> tuple[Particular, ...]:
        """What the published sheet says under these options, besides them."""
        return ()

    def next_line(self, earlier: Sequence[LineT]) -> Mapping[str, Any]:
        """What the next line will say in any case, to be filled in beforehand; `earlier` are the recorded ones."""
        return {}

    def name_line(self, number: int) -> str:
        """What line `number` (from 1) is called within a sentence: “hand 3”."""
        return worded("%(line)s %(number)s", line=self.line_name, number=number)

    def mark_line(self, number: int) -> str:
        """What stands before line `number` in a list: “3”."""
        return str(number)

    def points_line(self, side: str, points: int) -> LineT | None:
        """The line that records a side's points and nothing else; None where the variant has none."""
        return None

    def take_totals(self, standing: StandingT, line: TotalsLine) -> StandingT:
        """How the sheet stands with the totals of a paper card; where the variant is entered by totals at all."""
        raise NotImplementedError(f"a card of {self.name} is not entered by its totals")

    def count_any(self, standing: StandingT, line: LineT | TotalsLine) -> tuple[StandingT, LineTally]:
        """`count`, of a hand or of the totals of a paper card."""
        if isinstance(line, TotalsLine):
            totals = dict(line.totals)
            return self.take_totals(standing, line), LineTally(points=totals, running=totals, event=TOTALS)
        return self.count(standing, line)

    def most_points(self) -> int | None:
        """The most that one line can bring a side; None: no telling."""
        return None


def _cells(columns: Sequence[Column], row: Row) -> list[Cell]:
    """A hand fills every column; a paper card's totals have no hand, no up card and no outcome."""
    if not isinstance(row.line, TotalsLine):
        return [column.cell(row) for column in columns]
    own = [column for column in columns if column.side is not None]
    words = Cell(text=WORDS, span=len(columns) - len(own))
    return [words, *(column.cell(row) if column.key == "running" else Cell() for column in own)]


def total_column(side: str, heading: str = worded("Total")) -> Column:
    """The side's total after each line."""
    return Column(
        key="running", heading=heading, side=side, numeric=True, text=lambda row: str(row.counted.running[side])
    )
