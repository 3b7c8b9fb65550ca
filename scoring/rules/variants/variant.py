"""The base class of all variants (games), and the types that their methods return.

A variant is created for a sheet's sides and options, as in `GraSingles(sides, options)`. A sheet is scored by folding
over its lines: `make_initial_standing`, then `score_line` for each line, then `make_tally`.

This table lists the members of the class, their content or purpose, and where they are used:

    class attributes             name, title, options, rulebook …      the form and the rule sheet
    line_fields                  the fields of a line                  form, paper
    read_line                    validation of a line                  JSON, API, form
    make_initial_standing,
    score_line, make_tally       how a line counts, how the game ends  every sheet
    iter_problems                reasons for rejecting a line          form
    iter_warnings                improbable but possible values        form
    columns, blocks              the layout of a line, of the sheet    sheet on screen, paper
    make_knock_rule,
    make_showdown_line           the verdict on cards laid down        page that judges hands
    table_draw                   the draw before play                  form, paper, API
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from scoring.rules.book.layout import Cell, CellMark, Heading, HeadingGroup, LineCells, SheetBlock, make_blank_lines
from scoring.rules.book.options import Option, Options, Preset, Rulebook, RuleTable
from scoring.rules.hand.arrangement import AcePosition
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import FINISHING_OUTCOMES, OUTCOME_WORDS, FinishedHand, HandOutcome, KnockRule
from tournament.cases import FieldReader, shorten_text
from tournament.errors import DomainError, InputProblem
from tournament.lazy_text import join_texts, lazy_text

# --- The draw at the table -------------------------------------------------------------------------------------------
# The cut or the draw of cards before a game decides who deals, who sits where, and who has which role.

_AGREE_ON_KEEPER: Final = lazy_text("The rules do not decide who keeps score. Agree on one of you.")


@dataclass(frozen=True, slots=True)
class TableDrawPosition:
    """A role that players draw cards for before play, such as the dealer's.

    `card` is the card that wins the position (“High card”), and `duty` describes the winner's role (“deals”).
    """

    card: str
    duty: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDraw:
    """The draw before the first hand, with its source in the rules.

    `instruction` says what the players do (“Cut for deal.”), and `words` is the rule in a sentence or two. `places`
    lists the positions to record: one for each side, only the first, or none if the draw is not recorded.

    `keeps_score` is True if the player who drew the first position keeps score. `decides_roles` is True if the draw
    gives each side its role, so no hand can be scored before the draw is recorded.
    """

    rule: str
    instruction: str
    words: str
    name: str = lazy_text("the cut for deal")
    places: tuple[TableDrawPosition, ...] = ()
    keeps_score: bool = False
    decides_roles: bool = False
    question: str = ""
    """The question that asks who drew the only position, such as “Who cut the low card?”.

    It is empty if the draw has several positions or none.
    """
    keeper: str = _AGREE_ON_KEEPER
    """A sentence about who keeps score, for games in which the draw does not decide it."""
    asks_keeper: bool = True
    """Whether one of the card's players keeps score. Otherwise the desk does."""

    @property
    def orders_sides(self) -> bool:
        """Whether every side draws a position, so that the sheet lists the sides in the order of the positions."""
        return len(self.places) > 1

    def as_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "ask": self.instruction,
            "words": self.words,
            "places": [{"card": place.card, "does": place.duty, "role": place.role} for place in self.places],
            "keeps_score": self.keeps_score,
        }


def list_sides_by_drawn_position(draw: TableDraw, sides: Sequence[str], answers: Sequence[object]) -> tuple[str, ...]:
    """Return the sides in the order of the positions that they drew.

    `answers` contains the side that drew each position, in the order of the positions. If every side draws a position,
    the last answer can be missing, because only one side is left for it.

    >>> place = TableDrawPosition("High card", "deals", "box")
    >>> three = TableDraw(rule="", instruction="", words="", places=(place,) * 3)
    >>> list_sides_by_drawn_position(three, ("A", "B", "C"), ["C", "A"])
    ('C', 'A', 'B')

    Raises:
        DomainError: `bad-draw`, if a position has no side, or a side has two positions or is not on the card.
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


LOW_CARD_TABLE_DRAW: Final = TableDraw(
    rule=lazy_text("GRA singles rule 2"),
    instruction=lazy_text("Cut for deal."),
    question=lazy_text("Who cut the low card?"),
    words=lazy_text("Low card deals first and keeps score. Ace is low."),
    places=(
        TableDrawPosition(lazy_text("Low card"), lazy_text("deals first and keeps score"), lazy_text("deals first")),
    ),
    keeps_score=True,
)


# --- Totals of a paper card ------------------------------------------------------------------------------------------
# If only the totals of a card are known, one line stands for its hands on a sheet.

TOTALS_KEY: Final = "totals"
"""The key of the totals in the recorded line of a paper card. In a tally, it is the `event` of this line."""

_TOTALS_LABEL: Final = lazy_text("Totals from the paper card")


@dataclass(frozen=True, slots=True)
class TotalsLine:
    """The final totals of a paper card: each side's points."""

    totals: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        return {TOTALS_KEY: dict(self.totals)}


def is_totals_record(line: Any) -> bool:
    """Return whether a recorded line contains the totals of a paper card instead of a hand.

    >>> is_totals_record({"totals": {"A": 163, "B": 98}}), is_totals_record({"outcome": "stock"})
    (True, False)
    """
    return isinstance(line, Mapping) and set(line) == {TOTALS_KEY}


def make_sheet_fields(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Convert recorded lines to the fields of a sheet: `lines`, and the `totals` of a paper card if there are any.

    >>> make_sheet_fields([{"totals": {"A": 40, "B": 30}}, {"outcome": "stock"}])
    {'lines': [{'outcome': 'stock'}], 'totals': {'A': 40, 'B': 30}}
    """
    if lines and is_totals_record(lines[0]):
        return {"lines": list(lines[1:]), TOTALS_KEY: dict(lines[0][TOTALS_KEY])}
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
    """A list of objects with several fields each, such as the boards of a partnership line.

    The list has from `fewest` to `most` objects.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class LineField:
    """A field of a line, with the information that a form needs to ask for it.

    If `outcomes` is empty, the form always shows the field. Otherwise, the form shows it only if the field `depends_on`
    has one of these values (“true” or “false” for a switch). `lowest` is the minimum of a number, or None for no limit.
    `fields` are the fields of each object in a group. `question` is the label on phones. If `is_collapsed` is True, the
    field is rarely needed, and is collapsed.

    Some fields have a number for each side, such as each player's count. One side's number can be 0 without being
    entered, such as the count of a player who goes gin. This is the case if the field `depends_on` has one of the
    values in `zero_count_outcomes`. `zero_count_player_field` is the name of the field that contains this side.

    `verbs` maps outcomes to verbs for descriptions, such as “knocked”.
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
    is_collapsed: bool = False
    zero_count_player_field: str = ""
    zero_count_outcomes: tuple[str, ...] = ()
    verbs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SheetStanding:
    """The standing of a game. `winner` is None if the game is unfinished or tied.

    `lines` is the number of lines so far, in games that depend on it, and 0 in other games.
    """

    totals: Mapping[str, int]
    complete: bool = False
    winner: str | None = None
    lines: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTally:
    """The score of a line: its points, the totals after it, what happened (`event`), and the calculation as text."""

    points: Mapping[str, int]
    running: Mapping[str, int]
    event: str
    explanation: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"points": dict(self.points), "running": dict(self.running), "event": str(self.event)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The result of a score sheet. `settlement` is None if the game is unfinished or has no settlement.

    `stakes_cents` is the amount in cents that each side receives (negative if it pays). It is None if the game is
    unfinished or has no stakes. `variant_fields` contains further fields for the JSON output. `open_points` are points
    in unfinished games, which `totals` does not include.
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
        """Return the response of the `tally` command, without the field `ok`."""
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
class LineWarning:
    """A warning that a line is possible but improbable. The scorer has to give a reason to record the line anyway."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A line of the sheet with its number (starting at 1) and its score, for display."""

    number: int
    line: Any
    line_tally: LineTally


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetColumn:
    """A column of the score sheet, on screen and on paper. `side` is set if the column belongs to a side.

    `mark` and `explain` are functions that return a cell's mark (such as a circle) and its explanation. If they are
    None, `cell` uses the defaults.
    """

    key: str
    heading: str
    text: Callable[[SheetRow], str] = field(repr=False)
    side: str | None = None
    numeric: bool = False
    weight: float = 1.0
    mark: Callable[[SheetRow], CellMark] | None = field(default=None, repr=False)
    explain: Callable[[SheetRow], str] | None = field(default=None, repr=False)

    def make_cell(self, row: SheetRow) -> Cell:
        text = self.text(row)
        mark = CellMark.BOX if self.key == "points" and text else CellMark.NONE
        why = row.line_tally.explanation if self.key == "outcome" else ""
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
    """The base class of all games. An instance scores one sheet with these sides and options."""

    name: ClassVar[str]
    """The identifier in CONTRACTS.md, such as `gra-singles`."""
    title: ClassVar[str]
    about: ClassVar[str]
    """A sentence about the game that helps a director choose one."""
    edition: ClassVar[int] = 1
    """The edition of the scoring rules.

    Increase it if the same lines would get a different score. Cards keep the edition under which they were signed.
    """
    fewest_sides: ClassVar[int] = 2
    most_sides: ClassVar[int] = 2
    rulebook: ClassVar[Rulebook]
    options: ClassVar[tuple[Option, ...]]
    presets: ClassVar[tuple[Preset, ...]] = ()
    side_names: ClassVar[tuple[str, ...]] = ()
    """The sides' names, if the game defines them (Metzker: Guys, Girls)."""
    sides_are_teams: ClassVar[bool] = False
    """Whether the sides are the teams in `side_names`, and not single players (Metzker)."""
    line_name: ClassVar[str] = lazy_text("hand")
    """The game's name for a line, such as “hand” or “round”."""
    low_wins: bool = False
    """Whether the lowest total wins. Instances override this class attribute if it depends on an option."""
    hand_limit: int | None = None
    """The number of hands on a sheet, or None if the game ends only by score."""
    lines_are_independent: ClassVar[bool] = False
    """Whether lines can be scored in any order, even if an earlier line is unreadable."""
    signers: ClassVar[str] = lazy_text("Both players sign.")
    """A sentence for the paper card about the people who sign (GRA 2012, singles 7; partnership 5)."""
    further_signers: ClassVar[tuple[str, ...]] = ()
    """People besides the sides who have a signature line on the paper card."""
    aces: ClassVar[AcePosition] = AcePosition.LOW
    """The positions that an ace can have in a run, in games with sets and runs."""
    finishes: ClassVar[Mapping[HandOutcome, str]] = {outcome: OUTCOME_WORDS[outcome] for outcome in FINISHING_OUTCOMES}
    """The game's own names for the ways to end a hand."""

    order_is_known: bool = True
    """Whether the sides have drawn their order. If not, the sheet leaves out everything that depends on the order."""

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        """Create the variant. If `sides` is empty because the sides' names were unreadable, every name is accepted."""
        self.sides = sides

    @abstractmethod
    def table_draw(self) -> TableDraw:
        """Return the cut or draw before the first hand."""

    def copy_without_drawn_order(self) -> Self:
        """Return a copy of the variant for a score sheet on which the order of the sides is not known yet.

        The sides draw their order before the first hand. The copy leaves out everything that depends on this order,
        such as each hand's dealer.
        """
        made = copy(self)
        made.order_is_known = False
        return made

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {option.name: option.default for option in cls.options}

    @abstractmethod
    def line_fields(self) -> tuple[LineField, ...]:
        """Return the fields of a line under these options, in the order in which the form shows them."""

    @abstractmethod
    def read_line(self, fields: FieldReader) -> LineT | None:
        """Read a line. If it is invalid, add its problems and return None.

        An override must read every field and call `finish`.
        """

    @abstractmethod
    def write_line(self, line: LineT) -> dict[str, Any]:
        """Return the line as JSON for `read_line`."""

    @abstractmethod
    def make_initial_standing(self) -> StandingT:
        """Return the standing before the first line."""

    @abstractmethod
    def score_line(self, standing: StandingT, line: LineT) -> tuple[StandingT, LineTally]:
        """Score a line. Return the standing after the line, and the line's score."""

    def make_tally(self, standing: StandingT, rows: Sequence[LineTally]) -> Tally:
        return Tally(complete=standing.complete, winner=standing.winner, totals=standing.totals, lines=tuple(rows))

    def find_leaders(self, counted: Tally) -> tuple[str, ...]:
        """Return the sides that are ahead on an incomplete sheet: one side, or several in a tie."""
        best = (min if self.low_wins else max)(counted.totals.values())
        return tuple(side for side in self.sides if counted.totals[side] == best)

    def iter_problems(self, standing: StandingT, line: LineT | None) -> Iterable[InputProblem]:
        """Yield the reasons for rejecting a line, with paths relative to it. `line` is None if it was unreadable."""
        if standing.complete:
            who = (
                lazy_text("%(winner)s has won it", winner=shorten_text(standing.winner))
                if standing.winner
                else lazy_text("it ended without a winner")
            )
            message = lazy_text(
                "The sheet was complete before this line: %(who)s. Nothing can be recorded after that.", who=who
            )
            yield InputProblem("after-end", "", message)

    @abstractmethod
    def iter_warnings(self, line: LineT, earlier: Sequence[LineT]) -> Iterator[LineWarning]:
        """Yield warnings about improbable values in a line, given the earlier lines."""

    @abstractmethod
    def columns(self) -> tuple[SheetColumn, ...]:
        """Return the columns of the sheet, from left to right."""

    def blocks(
        self, rows: Sequence[SheetRow], counted: Tally | None = None, *, blank: int = 0
    ) -> tuple[SheetBlock, ...]:
        """Return the sheet in its usual printed form, with `blank` empty lines after the recorded ones.

        `counted` is the tally of `rows`, or None before play. Unless a variant overrides this method, there is one
        block, with the `columns` under the sides' names.
        """
        columns = self.columns()
        lines = [LineCells(tuple(_make_cells(columns, row)), row.number) for row in rows]
        lines += make_blank_lines(len(columns), blank, first=len(rows) + 1)
        headings = tuple(Heading(column.heading, column.key, column.numeric, column.weight) for column in columns)
        over = groupby(columns, key=lambda column: column.side)
        groups = tuple(HeadingGroup(side or "", len(list(own))) for side, own in over)
        return (SheetBlock(headings=headings, groups=groups, lines=tuple(lines)),)

    def make_knock_rule(self, up: PlayingCard | None) -> KnockRule | None:
        """Return the rule for laying down a hand, or None if the program cannot judge the hands of this game.

        The program can judge hands only in games with sets and runs of ordinary playing cards.
        """
        return None

    def make_showdown_line(self, hand: FinishedHand) -> dict[str, Any]:
        """Return the line of the sheet for a hand that was laid down and judged, as JSON for `read_line`."""
        raise NotImplementedError(f"hands of {self.name} are not laid down in sets and runs")

    def make_rule_tables(self) -> tuple[RuleTable, ...]:
        """Return tables to show on the published rule sheet below the options."""
        return ()

    def prefill_next_line(self, earlier: Sequence[LineT]) -> Mapping[str, Any]:
        """Return the fields of the next line whose values are already known, so that a form can fill them in."""
        return {}

    def name_line(self, number: int) -> str:
        """Return the name of a line for use within a sentence, such as “hand 3”. Numbers start at 1."""
        return lazy_text("%(line)s %(number)s", line=self.line_name, number=number)

    def label_line(self, number: int) -> str:
        """Return the label of a line in a list, such as “3”. Numbers start at 1."""
        return str(number)

    def make_points_line(self, side: str, points: int) -> LineT | None:
        """Return a line that records only a side's points, or None if the game has no such lines."""
        return None

    def add_totals(self, standing: StandingT, line: TotalsLine) -> StandingT:
        """Return the standing after entering the totals of a paper card."""
        raise NotImplementedError(f"a card of {self.name} is not entered by its totals")

    def score_line_or_totals(self, standing: StandingT, line: LineT | TotalsLine) -> tuple[StandingT, LineTally]:
        if isinstance(line, TotalsLine):
            totals = dict(line.totals)
            return self.add_totals(standing, line), LineTally(points=totals, running=totals, event=TOTALS_KEY)
        return self.score_line(standing, line)

    def compute_max_points(self) -> int | None:
        """Return the most points that a side can score in a line, or None if there is no limit."""
        return None


def _make_cells(columns: Sequence[SheetColumn], row: SheetRow) -> list[Cell]:
    """Return the cells of a line.

    A line with the totals of a paper card has only a label and each side's total. All of its other cells are empty.
    """
    if not isinstance(row.line, TotalsLine):
        return [column.make_cell(row) for column in columns]
    own = [column for column in columns if column.side is not None]
    words = Cell(text=_TOTALS_LABEL, span=len(columns) - len(own))
    return [words, *(column.make_cell(row) if column.key == "running" else Cell() for column in own)]


def make_line_number_column() -> SheetColumn:
    return SheetColumn(key="hand", heading=lazy_text("Hand"), text=lambda row: str(row.number), numeric=True)


def make_total_column(side: str, heading: str = lazy_text("Total")) -> SheetColumn:
    return SheetColumn(
        key="running", heading=heading, side=side, numeric=True, text=lambda row: str(row.line_tally.running[side])
    )
