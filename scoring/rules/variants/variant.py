"""The base class of all rule sets, and the values that they return.

A variant is created for one sheet, `GraSingles(sides, options)`, and has no other state. A sheet is a fold over its
lines: `start`, then `count` for each, then `close`.

     class attributes    name, title, edition, sides, options, rulebook   for the form and the rule sheet
     line_fields         the fields of a line                             form, paper
     read_line           strict reading of a line                         JSON, API, form
     start, count, close how a line counts and when the game is over      tally
     doubts              improbable but possible values                   form
     columns, blocks     the layout of a line and of the whole sheet      sheet on screen, paper
     knock_rule, showdown_line   the verdict on cards laid down           the page of hands
     table_draw          the draw before play                             form, paper, API
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from scoring.rules.book.layout import Block, Cell, Group, Heading, LineCells, Mark, blank_lines
from scoring.rules.book.options import Option, Options, Preset, Rulebook, RuleTable
from scoring.rules.hand.arrangement import Ace
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import FINISHES, OUTCOME_WORDS, FinishedHand, KnockRule, Outcome
from tournament.cases import Fields, shorten_text
from tournament.errors import DomainError, Problem
from tournament.lazy_text import join_texts, lazy_text

# --- The draw at the table -------------------------------------------------------------------------------------------
# The cut or the draw of cards before a game decides who deals, who sits where, and who has which role.

_AGREE_ON_KEEPER: Final = lazy_text("The rules do not decide who keeps score. Agree on one of you.")


@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """A place to draw for: the `card` that wins it (“High card”), what its player `does`, and the `role`."""

    card: str
    does: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDraw:
    """The draw before the first hand, with its source in the rules.

    `ask` is the instruction (“Cut for deal.”) and `words` the rule in a sentence or two. `places` are the places to
    record, in order: one per side if everybody gets a place, else only the first. `places` is empty if the card does
    not record the draw. `keeps_score` means that the player in the first place keeps score. `decides_roles` means that
    no hand can be judged without the draw.
    """

    rule: str
    ask: str
    words: str
    name: str = lazy_text("the cut for deal")
    places: tuple[DrawnPlace, ...] = ()
    keeps_score: bool = False
    decides_roles: bool = False
    question: str = ""
    """The question for a single place, such as “Who cut the low card?”. Empty if there is not exactly one place."""
    keeper: str = _AGREE_ON_KEEPER
    """The scorekeeper if the draw does not decide it."""
    asks_keeper: bool = True
    """Whether a player on the card keeps score. Otherwise the desk does."""

    @property
    def orders_sides(self) -> bool:
        """Whether everybody gets a place, so that the sides of the sheet are put in this order."""
        return len(self.places) > 1

    def as_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "ask": self.ask,
            "words": self.words,
            "places": [{"card": place.card, "does": place.does, "role": place.role} for place in self.places],
            "keeps_score": self.keeps_score,
        }


def read_drawn_sides(draw: TableDraw, sides: Sequence[str], answers: Sequence[object]) -> tuple[str, ...]:
    """Return the sides by the places they drew. The last of several places can be left out.

    >>> three = TableDraw(rule="", ask="", words="", places=(DrawnPlace("High card", "deals", "box"),) * 3)
    >>> read_drawn_sides(three, ("A", "B", "C"), ["C", "A"])
    ('C', 'A', 'B')

    Raises:
        DomainError: `bad-draw`, if there is not one side for each place, a side has two places, or is not on the card.
    """
    if not draw.places:
        raise DomainError(
            "bad-draw",
            join_texts(" ", filter(None, [lazy_text("Nothing of the draw stands on this card."), draw.words])),
        )
    named = [side for side in answers if isinstance(side, str)]
    if draw.orders_sides and len(named) == len(sides) - 1:
        named += [side for side in sides if side not in named][:1]
    whole = len(named) == len(answers) or len(named) == len(draw.places)
    if not whole or len(named) != len(draw.places) or len(set(named)) != len(named) or not set(named) <= set(sides):
        raise DomainError(
            "bad-draw", lazy_text("%(words)s Choose for each card who drew it, each player once.", words=draw.words)
        )
    return tuple(named)


LOW_DEALS_AND_KEEPS: Final = TableDraw(
    rule=lazy_text("GRA singles rule 2"),
    ask=lazy_text("Cut for deal."),
    question=lazy_text("Who cut the low card?"),
    words=lazy_text("Low card deals first and keeps score. Ace is low."),
    places=(DrawnPlace(lazy_text("Low card"), lazy_text("deals first and keeps score"), lazy_text("deals first")),),
    keeps_score=True,
)


# --- Totals of a paper card ------------------------------------------------------------------------------------------
# If only the totals of a card are known, one line stands for its hands on a sheet.

TOTALS: Final = "totals"
"""The field of a recorded line that holds the totals, and the name of that line in a tally."""

_TOTALS_WORDS: Final = lazy_text("Totals from the paper card")


@dataclass(frozen=True, slots=True)
class TotalsLine:
    """The totals of both sides on a paper card, by side, in points."""

    totals: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        return {TOTALS: dict(self.totals)}


def is_totals_record(line: Any) -> bool:
    """Return whether a recorded line has the totals of a paper card instead of a hand.

    >>> is_totals_record({"totals": {"A": 163, "B": 98}}), is_totals_record({"outcome": "stock"})
    (True, False)
    """
    return isinstance(line, Mapping) and set(line) == {TOTALS}


def separate_totals(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return recorded lines as the fields of a sheet: `lines`, and the `totals` of a paper card.

    >>> separate_totals([{"totals": {"A": 40, "B": 30}}, {"outcome": "stock"}])
    {'lines': [{'outcome': 'stock'}], 'totals': {'A': 40, 'B': 30}}
    """
    if lines and is_totals_record(lines[0]):
        return {"lines": list(lines[1:]), TOTALS: dict(lines[0][TOTALS])}
    return {"lines": list(lines)}


# --- Lines, tallies and columns --------------------------------------------------------------------------------------


class FieldKind(StrEnum):
    CARD = "card"
    CARDS_A_SIDE = "cards a side"
    CHOICE = "choice"
    SIDE = "side"
    NUMBER = "number"
    NUMBER_A_SIDE = "number a side"
    SWITCH = "switch"
    GROUP = "group"
    """Several fields, repeated `fewest` to `most` times, such as the boards of a partnership line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineField:
    """A field of a line.

    The form asks for the field if the field `depends_on` has one of the values in `outcomes` (for a switch "true" and
    "false"), or always if `outcomes` is empty. `lowest` is the lowest number, or None for any. `fields` are the fields
    of a group, which is a list of objects on the line. `question` is the label on a phone. `aside` marks a seldom
    needed field, which is folded away.

    A missing number by side becomes 0 for the side named in the field `zero_of`, if the outcome is one of `zero_with`:
    a player who goes gin counts nothing. `verbs` has the verb of each outcome for the side that ended the hand, such as
    “knocked”.
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
    """The standing of a sheet after `lines` lines. `winner` is None while the game is unfinished or tied."""

    totals: Mapping[str, int]
    complete: bool = False
    winner: str | None = None
    lines: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTally:
    """The score of a line: its points, the totals after it, its event, and the calculation as text.

    A variant with more results (the columns of three games, the roles) extends this class and `as_json`.
    """

    points: Mapping[str, int]
    running: Mapping[str, int]
    event: str
    explanation: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"points": dict(self.points), "running": dict(self.running), "event": str(self.event)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The result of counting a sheet. `settlement` is None if the rule set has none, or the game is unfinished.

    `stakes_cents` are the cents that each side gets from the others (negative: pays), or None without stakes or while
    the game is unfinished. `variant_fields` are further fields of the answer in this rule set, such as its games.
    `open_points` are the points of unfinished games, which `totals` do not include.
    """

    complete: bool
    winner: str | None
    totals: Mapping[str, int]
    lines: tuple[LineTally, ...]
    settlement: Mapping[str, int] | None = None
    stakes_cents: Mapping[str, int] | None = None
    variant_fields: Mapping[str, Any] = field(default_factory=dict)
    open_points: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the answer of the `tally` command, without `ok`."""
        answer: dict[str, Any] = {
            "complete": self.complete,
            "winner": self.winner,
            "totals": dict(self.totals),
            "lines": [line.as_json() for line in self.lines],
        }
        if self.settlement is not None:
            answer["settlement"] = dict(self.settlement)
        return {**answer, **self.variant_fields}


@dataclass(frozen=True, slots=True)
class Doubt:
    """A warning about something improbable but possible. A reason overrides it."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line as the sheet prints it. `number` counts from 1."""

    number: int
    line: Any
    counted: LineTally


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetColumn:
    """A column of the sheet, on screen and on paper. `side` is the side that the column belongs to, if any.

    `mark` and `explain` return the mark of a cell and its calculation, if they differ from the usual ones.
    """

    key: str
    heading: str
    text: Callable[[Row], str] = field(repr=False)
    side: str | None = None
    numeric: bool = False
    weight: float = 1.0
    mark: Callable[[Row], Mark] | None = field(default=None, repr=False)
    explain: Callable[[Row], str] | None = field(default=None, repr=False)

    def cell(self, row: Row) -> Cell:
        text = self.text(row)
        mark = Mark.BOX if self.key == "points" and text else Mark.NONE
        why = row.counted.explanation if self.key == "outcome" else ""
        return Cell(
            text=text,
            numeric=self.numeric,
            mark=self.mark(row) if self.mark else mark,
            strong=self.key == "running",
            why=self.explain(row) if self.explain else why,
        )


# --- The base class --------------------------------------------------------------------------------------------------

LineT = TypeVar("LineT")
StandingT = TypeVar("StandingT", bound=SheetStanding)


class Variant(ABC, Generic[LineT, StandingT]):
    """A way to score a game, for the sides and options of one sheet."""

    name: ClassVar[str]
    """The name in CONTRACTS.md, such as `gra-singles`."""
    title: ClassVar[str]
    about: ClassVar[str]
    """A sentence about the game, which helps a director choose."""
    edition: ClassVar[int] = 1
    """The edition of the counting rules.

    Raise it when the same lines would count differently. Signed cards keep theirs.
    """
    fewest_sides: ClassVar[int] = 2
    most_sides: ClassVar[int] = 2
    rulebook: ClassVar[Rulebook]
    options: ClassVar[tuple[Option, ...]]
    presets: ClassVar[tuple[Preset, ...]] = ()
    side_names: ClassVar[tuple[str, ...]] = ()
    """The names of sides that have their own (Metzker: Guys, Girls). If empty, the players' names are used."""
    sides_are_teams: ClassVar[bool] = False
    """Whether no entrant is a side, because everybody plays for one of the teams in `side_names` (Metzker)."""
    line_name: ClassVar[str] = lazy_text("hand")
    """The word for a line in this game, such as a hand or a round."""
    low_wins: bool = False
    """Whether the lowest total wins. If an option decides it, the instance sets it."""
    hand_limit: int | None = None
    """The number of hands on a sheet, or None if only the score ends the game."""
    lines_are_independent: ClassVar[bool] = False
    """Whether a line can be judged even if an earlier one is unreadable, because the order does not matter."""
    signers: ClassVar[str] = lazy_text("Both players sign.")
    """The sentence on the paper about who signs (GRA 2012, singles 7; partnership 5)."""
    further_signers: ClassVar[tuple[str, ...]] = ()
    """People besides the sides who have a signature line under the paper card."""
    aces: ClassVar[Ace] = Ace.LOW
    """The ends of a run at which an ace fits, in a game with sets and runs."""
    finishes: ClassVar[Mapping[Outcome, str]] = {outcome: OUTCOME_WORDS[outcome] for outcome in FINISHES}
    """The ways to end a hand, as this game calls them."""

    order_is_known: bool = True
    """Whether the card has the draw for the order of the sides. If not, nothing that depends on it is printed."""

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        """Create the variant. If `sides` is empty because they are unreadable, every name is accepted."""
        self.sides = sides

    @abstractmethod
    def table_draw(self) -> TableDraw:
        """Return the cut or draw before the first hand."""

    def without_drawn_order(self) -> Self:
        """Return a copy for a sheet whose sides have not drawn their order."""
        made = copy(self)
        made.order_is_known = False
        return made

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {option.name: option.default for option in cls.options}

    @abstractmethod
    def line_fields(self) -> tuple[LineField, ...]:
        """Return the fields of a line under these options, in the order of the form."""

    @abstractmethod
    def read_line(self, fields: Fields) -> LineT | None:
        """Read a line, or return None with its problems. An override must read every field and call `finish`."""

    @abstractmethod
    def write_line(self, line: LineT) -> dict[str, Any]:
        """Return the line in the form that `read_line` reads."""

    @abstractmethod
    def start(self) -> StandingT:
        """Return the standing before the first line."""

    @abstractmethod
    def count(self, standing: StandingT, line: LineT) -> tuple[StandingT, LineTally]:
        """Return the standing after a line, and the score of the line."""

    def close(self, standing: StandingT, rows: Sequence[LineTally]) -> Tally:
        return Tally(complete=standing.complete, winner=standing.winner, totals=standing.totals, lines=tuple(rows))

    def leaders(self, counted: Tally) -> tuple[str, ...]:
        """Return the sides that are ahead on an incomplete sheet: one side, or several that are tied."""
        best = (min if self.low_wins else max)(counted.totals.values())
        return tuple(side for side in self.sides if counted.totals[side] == best)

    def refusals(self, standing: StandingT, line: LineT | None) -> Iterable[Problem]:
        """Yield the reasons why the sheet refuses this line, with paths from the line. An unreadable line is None."""
        if standing.complete:
            who = (
                lazy_text("%(winner)s has won it", winner=shorten_text(standing.winner))
                if standing.winner
                else lazy_text("it ended without a winner")
            )
            message = lazy_text(
                "The sheet was complete before this line: %(who)s. Nothing can be recorded after that.", who=who
            )
            yield Problem("after-end", "", message)

    @abstractmethod
    def doubts(self, line: LineT, earlier: Sequence[LineT]) -> Iterator[Doubt]:
        """Yield what is improbable about a line after the earlier lines."""

    @abstractmethod
    def columns(self) -> tuple[SheetColumn, ...]:
        """Return the columns of the sheet, from the left."""

    def blocks(self, rows: Sequence[Row], counted: Tally | None = None, *, blank: int = 0) -> tuple[Block, ...]:
        """Return the whole sheet as the players know it, with `blank` empty lines after the recorded ones.

        `counted` is the tally of exactly these rows, or None before play. The default is a block of `columns` under the
        names of the sides. A variant with its own sheet overrides it.
        """
        columns = self.columns()
        lines = [LineCells(tuple(_cells(columns, row)), row.number) for row in rows]
        lines += blank_lines(len(columns), blank, first=len(rows) + 1)
        headings = tuple(Heading(column.heading, column.key, column.numeric, column.weight) for column in columns)
        over = groupby(columns, key=lambda column: column.side)
        groups = tuple(Group(side or "", len(list(own))) for side, own in over)
        return (Block(headings=headings, groups=groups, lines=tuple(lines)),)

    def knock_rule(self, up: PlayingCard | None) -> KnockRule | None:
        """Return the rule for laying down a hand, or None if hands are not sets and runs of plain cards."""
        return None

    def showdown_line(self, hand: FinishedHand) -> dict[str, Any]:
        """Return the line for two hands laid down, in the form that `read_line` reads."""
        raise NotImplementedError(f"hands of {self.name} are not laid down in sets and runs")

    def rule_tables(self) -> tuple[RuleTable, ...]:
        """Return the tables that the published sheet has besides the options."""
        return ()

    def next_line(self, earlier: Sequence[LineT]) -> Mapping[str, Any]:
        """Return the fields of the next line that are certain, such as its game. They are filled in beforehand."""
        return {}

    def name_line(self, number: int) -> str:
        """Return the name of a line (from 1) within a sentence, such as “hand 3”."""
        return lazy_text("%(line)s %(number)s", line=self.line_name, number=number)

    def label_line(self, number: int) -> str:
        """Return the label of a line (from 1) in a list, such as “3”."""
        return str(number)

    def points_line(self, side: str, points: int) -> LineT | None:
        """Return a line that records only a side's points, or None if the variant has no such line."""
        return None

    def count_totals(self, standing: StandingT, line: TotalsLine) -> StandingT:
        """Return the standing with the totals of a paper card."""
        raise NotImplementedError(f"a card of {self.name} is not entered by its totals")

    def count_line(self, standing: StandingT, line: LineT | TotalsLine) -> tuple[StandingT, LineTally]:
        if isinstance(line, TotalsLine):
            totals = dict(line.totals)
            return self.count_totals(standing, line), LineTally(points=totals, running=totals, event=TOTALS)
        return self.count(standing, line)

    def most_points(self) -> int | None:
        """Return the most points that a line can give a side, or None if there is no limit."""
        return None


def _cells(columns: Sequence[SheetColumn], row: Row) -> list[Cell]:
    """Return the cells of a row. For the totals of a paper card, only the totals are filled in."""
    if not isinstance(row.line, TotalsLine):
        return [column.cell(row) for column in columns]
    own = [column for column in columns if column.side is not None]
    words = Cell(text=_TOTALS_WORDS, span=len(columns) - len(own))
    return [words, *(column.cell(row) if column.key == "running" else Cell() for column in own)]


def number_column() -> SheetColumn:
    return SheetColumn(key="hand", heading=lazy_text("Hand"), text=lambda row: str(row.number), numeric=True)


def total_column(side: str, heading: str = lazy_text("Total")) -> SheetColumn:
    return SheetColumn(
        key="running", heading=heading, side=side, numeric=True, text=lambda row: str(row.counted.running[side])
    )
