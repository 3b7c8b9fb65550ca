"""A score pad: points by round for any number of sides. Either the highest or the lowest total wins.

A pad with fixed rounds is complete after the last one. A pad with a target is complete once a side reaches it. A pad
with neither stays open until a line names the winner.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self, cast

from scoring.rules.book.layout import Cell, CellMark, Heading, HeadingGroup, LineCells, SheetBlock
from scoring.rules.book.options import NamedValue, NumberRange, Option, Options, Preset, Rulebook, RuleTable
from scoring.rules.hand.hand_reader import SideReader
from scoring.rules.hand.hands import MAX_POINTS
from scoring.rules.variants.score_pad.pad import (
    HIGH_WINS,
    LOW_WINS,
    BidKind,
    PadLine,
    PadRound,
    PlayedRound,
    ScorePadGame,
    find_round_faults,
)
from scoring.rules.variants.score_pad.pads import SCORE_PAD_GAMES
from scoring.rules.variants.variant import (
    FieldKind,
    LineField,
    LineTally,
    LineWarning,
    SheetColumn,
    SheetRow,
    SheetStanding,
    TableDraw,
    Tally,
    Variant,
    make_total_column,
)
from tournament.cases import FieldReader, shorten_text
from tournament.errors import InputProblem
from tournament.lazy_text import join_texts, lazy_plural, lazy_text

# --- The options -----------------------------------------------------------------------------------------------------
# Source: CONTRACTS.md, score-pad: “rounds named by a list, wins high or low, optional target; carries the other games
# of the seed book”. Two of those games also need `losing_total` (500 Rummy) and `back_to_zero` (10,000).

MAX_PAD_ROUNDS: Final = 100
MAX_GAME_NAME_LENGTH: Final = 60

PAD_OPTIONS: Final = (
    Option(
        name="game",
        label=lazy_text("Game of the book"),
        meaning=lazy_text("Supplies the rounds, what each asks for, and what is left open below."),
        default=None,
        named=(
            NamedValue(None, lazy_text("another game")),
            *(NamedValue(pad.name, pad.title, pad.title) for pad in SCORE_PAD_GAMES.values()),
        ),
    ),
    Option(
        name="rounds",
        label=lazy_text("Rounds"),
        meaning=lazy_text("Their names in order; after the last one the sheet is complete."),
        default=None,
        named=(NamedValue(None, lazy_text("as in the game of the book, else as many as are played")),),
        text_limits=(MAX_PAD_ROUNDS, MAX_GAME_NAME_LENGTH),
    ),
    Option(
        name="wins",
        label=lazy_text("Who wins"),
        meaning=lazy_text("Whether points are good or bad."),
        default=None,
        named=(
            NamedValue(None, lazy_text("as in the game of the book, else the highest total")),
            NamedValue(HIGH_WINS, lazy_text("the highest total"), lazy_text("Highest total wins")),
            NamedValue(LOW_WINS, lazy_text("the lowest total"), lazy_text("Lowest total wins")),
        ),
    ),
    Option(
        name="target",
        label=lazy_text("Played to"),
        short_label=lazy_text("Played to {}"),
        meaning=lazy_text(
            "High wins: the first side at or over it and ahead. Low wins: it ends the game, the lowest wins."
        ),
        default=None,
        named=(NamedValue(None, lazy_text("as in the game of the book, else no target")),),
        numbers=NumberRange(1, MAX_POINTS),
    ),
    Option(
        name="losing_total",
        label=lazy_text("Lost at"),
        short_label=lazy_text("Lost at {}"),
        meaning=lazy_text("A total under zero at which a side has lost and the game is over."),
        default=None,
        named=(NamedValue(None, lazy_text("as in the game of the book, else no such total")),),
        numbers=NumberRange(-MAX_POINTS, -1),
    ),
    Option(
        name="back_to_zero",
        label=lazy_text("Back to zero"),
        meaning=lazy_text("Whether a side at the target works down again, and wins at zero or less."),
        default=None,
        named=(
            NamedValue(None, lazy_text("as in the game of the book, else no")),
            NamedValue(False, lazy_text("no")),
            NamedValue(True, lazy_text("yes"), lazy_text("Back to zero")),
        ),
    ),
)


PRESETS: Final = tuple(
    Preset(name=pad.name, title=pad.title, options=pad.make_options(), players=pad.players, sides=pad.sides)
    for pad in SCORE_PAD_GAMES.values()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedPadOptions:
    """A score pad's options as typed values. Options that are not set get the chosen game's values."""

    pad: ScorePadGame | None
    rounds: tuple[str, ...]
    low_wins: bool
    target: int | None
    losing_total: int | None
    back_to_zero: bool

    @classmethod
    def from_options(cls, options: Options) -> Self:
        name = options["game"]
        pad = SCORE_PAD_GAMES[name] if isinstance(name, str) else None
        own = pad.make_options() if pad else {"rounds": [], "wins": HIGH_WINS, "target": None, "losing_total": None}
        meant = {name: own.get(name) if value is None else value for name, value in options.items()}
        rounds = tuple(cast("list[str]", meant["rounds"]))
        named = tuple(each.name for each in pad.rounds) if pad else ()
        return cls(
            pad=pad,
            rounds=named if rounds == named else rounds,
            low_wins=meant["wins"] == LOW_WINS,
            target=cast("int | None", meant["target"]),
            losing_total=cast("int | None", meant["losing_total"]),
            back_to_zero=meant["back_to_zero"] is True,
        )

    def make_round(self, place: int) -> PadRound:
        """Return the round at this position, counted from 0.

        If the pad does not use the book's rounds, or the book has no round there, the result has only a name.
        """
        own = self.pad.find_round(place) if self.pad and self.has_rounds_of_book else None
        name = self.rounds[place] if place < len(self.rounds) else str(place + 1)
        return PadRound(name) if own is None else replace(own, name=name)

    @property
    def has_rounds_of_book(self) -> bool:
        """Whether the pad's rounds have the same names and order as the rounds of its game in the book.

        The result is False for a game that is not in the book.
        """
        return self.pad is not None and self.rounds == tuple(each.name for each in self.pad.rounds)

    @property
    def has_instructions(self) -> bool:
        """Whether the rounds have tasks, such as “2 sets of 4”."""
        return any(self.make_round(place).task for place in range(len(self.rounds) or 1))

    @property
    def summary(self) -> str:
        """A sentence that says which total wins and when the game ends.

        >>> options = {"game": "500-rummy"} | dict.fromkeys(option.name for option in PAD_OPTIONS[1:])
        >>> TypedPadOptions.from_options(options).summary
        'The highest total wins; played to 500; lost at −150.'
        """
        parts = [lazy_text("The lowest total wins") if self.low_wins else lazy_text("The highest total wins")]
        if self.rounds:
            parts.append(lazy_plural("%(number)s round", "%(number)s rounds", len(self.rounds)))
        if self.target is not None and self.back_to_zero:
            parts.append(lazy_text("played to %(target)s and back to zero", target=self.target))
        elif self.target is not None:
            parts.append(lazy_text("played to %(target)s", target=self.target))
        if self.losing_total is not None:
            parts.append(lazy_text("lost at −%(total)s", total=-self.losing_total))
        return lazy_text("%(terms)s.", terms=join_texts("; ", parts))

    def find_returning_sides(self, totals: Mapping[str, int]) -> frozenset[str]:
        """Return the sides that have reached the target and now have to get back to zero.

        The result is empty if the game has no such rule.
        """
        if self.target is None or not self.back_to_zero:
            return frozenset()
        target = self.target
        return frozenset(side for side, total in totals.items() if total >= target)

    def is_target_reached(self, totals: Mapping[str, int]) -> bool:
        return self.target is not None and max(totals.values()) >= self.target

    def find_end(self, totals: Mapping[str, int], played: int, returning: frozenset[str]) -> tuple[bool, str | None]:
        """Return whether the pad is complete after this many rounds, and the winner.

        `returning` contains the sides that are on their way back to zero. The winner is None while the pad is open, and
        in a tie.
        """
        home = [side for side in returning if totals[side] <= 0]
        if home:
            return True, _get_single_side(home)
        best = (min if self.low_wins else max)(totals.values())
        leader = _get_single_side([side for side, total in totals.items() if total == best])
        is_lost = self.losing_total is not None and not self.low_wins and min(totals.values()) <= self.losing_total
        is_decided = self.is_target_reached(totals) and not self.back_to_zero and (self.low_wins or leader is not None)
        is_over = 0 < len(self.rounds) <= played or is_lost or is_decided
        return is_over, leader if is_over else None


def _get_single_side(sides: Sequence[str]) -> str | None:
    return sides[0] if len(sides) == 1 else None


# --- The published sheet ---------------------------------------------------------------------------------------------
# The sheet has tables of the rounds and their tasks, of wild cards, and of the worth of cards.


def _iter_rule_tables(terms: TypedPadOptions) -> Iterator[RuleTable]:
    """Yield the tables of the published rule sheet.

    >>> from scoring.rules.variants.score_pad.variant import ScorePad
    >>> pad = ScorePad(("A", "B"), ScorePad.defaults() | {"game": "push"})
    >>> each = {table.heading: table.rows for table in pad.make_rule_tables()}
    >>> each["Rounds"][0], each["The game"][1]
    (('1st', '6 cards dealt: 2 sets of three'), ('Players', '4, two teams'))
    """
    yield RuleTable(lazy_text("The game"), tuple(_describe_game(terms)))
    rounds = tuple((name, terms.make_round(place).task) for place, name in enumerate(terms.rounds))
    if rounds:
        yield RuleTable(lazy_text("Rounds"), rounds)
    if terms.pad is not None:
        yield from _describe_book_rules(terms.pad)


def _describe_game(terms: TypedPadOptions) -> Iterator[tuple[str, str]]:
    pad = terms.pad
    if pad is not None:
        yield lazy_text("Game of the book"), lazy_text("%(game)s (%(source)s)", game=pad.title, source=pad.source)
        yield lazy_text("Players"), pad.players
    yield lazy_text("Who wins, and when"), terms.summary
    if pad is not None and pad.wild:
        yield lazy_text("Wild cards"), pad.wild


def _describe_book_rules(pad: ScorePadGame) -> Iterator[RuleTable]:
    if pad.turns:
        yield RuleTable(
            lazy_text("Round after round"), tuple((str(i), turn.task) for i, turn in enumerate(pad.turns, start=1))
        )
    if pad.steps:
        yield RuleTable(
            lazy_text("Melds, one after the other"), tuple((str(i), s) for i, s in enumerate(pad.steps, start=1))
        )
    if pad.counts:
        yield RuleTable(lazy_text("What counts"), pad.counts)
    if pad.notes:
        yield RuleTable(lazy_text("Notes"), tuple(("", note) for note in pad.notes))


# --- The variant -----------------------------------------------------------------------------------------------------

MAX_PAD_SIDES: Final = 12
_FREE_GAME: Final = TableDraw(
    rule="",
    instruction=lazy_text("Agree on who begins."),
    words=lazy_text("The rules of your game decide who begins and who deals."),
)
"""The draw for games that are not in the book: the players agree on who begins."""
_POINT_RANGE: Final = NumberRange(-MAX_POINTS, MAX_POINTS)
_BID_RANGE: Final = NumberRange(0, MAX_POINTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PadStanding(SheetStanding):
    """The totals, and the sides that now have to get back to zero."""

    returning: frozenset[str] = frozenset()


class ScorePad(Variant[PadLine, _PadStanding]):
    name = "score-pad"
    title = lazy_text("Score pad")
    about = lazy_text(
        "A pad for any other game, points by the round: a game of the book by its name, or rounds of your own."
    )
    fewest_sides = 2
    most_sides = MAX_PAD_SIDES
    line_name = lazy_text("round")
    signers = lazy_text("Every side signs.")
    options: ClassVar[tuple[Option, ...]] = PAD_OPTIONS
    presets: ClassVar[tuple[Preset, ...]] = PRESETS
    rulebook = Rulebook(
        lazy_text("Metzker Book of Card Game Rules 2026, where the game is one of its games"),
        summary=(
            lazy_text("Each round's points are written down for every side and added up."),
            lazy_text(
                "With named rounds the game is over after the last one; with a target, when a side is at or "
                "over it: where high wins the first one ahead there has won, where low wins the lowest total."
            ),
            lazy_text("A game not won by points is recorded by its winner."),
        ),
    )

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        self.terms = TypedPadOptions.from_options(options)
        self.reader = SideReader(sides)
        self.low_wins = self.terms.low_wins

    def table_draw(self) -> TableDraw:
        return self.terms.pad.draw if self.terms.pad else _FREE_GAME

    @property
    def bidding(self) -> BidKind:
        return self.terms.pad.bidding if self.terms.pad else BidKind.NONE

    def line_fields(self) -> tuple[LineField, ...]:
        """Return the fields of a line. Bids come first, because they are written down before play."""
        bids: tuple[LineField, ...] = ()
        if self.bidding is BidKind.EACH:
            bids = (
                LineField(name="bids", label=lazy_text("Bids"), kind=FieldKind.NUMBER_A_SIDE, required=True,
                          question=lazy_text("How many tricks did each bid?")),
            )  # fmt: skip
        elif self.bidding is BidKind.HIGHEST:
            bids = (
                LineField(name="bid_by", label=lazy_text("Bid by"), kind=FieldKind.SIDE, required=True,
                          question=lazy_text("Which team won the bid?")),
                LineField(name="bid", label=lazy_text("Bid"), kind=FieldKind.NUMBER, required=True),
                LineField(name="no_trump", label=lazy_text("No trump"), kind=FieldKind.SWITCH),
            )  # fmt: skip
        return (
            *bids,
            LineField(name="points", label=lazy_text("Points"), kind=FieldKind.NUMBER_A_SIDE, required=True,
                      lowest=None),
            LineField(name="won_by", label=lazy_text("Won outright by"), kind=FieldKind.SIDE, is_collapsed=True,
                      hint=lazy_text("Only if the game was not won by points")),
        )  # fmt: skip

    def read_line(self, fields: FieldReader) -> PadLine | None:
        """Read a round. Every side must have points.

        Bids are optional, because older pads do not have them.
        """
        before = len(fields.problems.found)
        points = fields.read("points", self.reader.make_number_reader(_POINT_RANGE))
        named = fields.text("round", default=None)
        won_by = fields.read("won_by", self.reader.read_side, None)
        bids: Mapping[str, int] = {}
        bid, bid_by, no_trump = None, None, False
        if self.bidding is BidKind.EACH:
            bids = fields.read("bids", self.reader.make_number_reader(_BID_RANGE), {})
        elif self.bidding is BidKind.HIGHEST and {"bid", "bid_by", "no_trump"} & set(fields.data):
            bid = fields.integer("bid", minimum=_BID_RANGE.lowest, maximum=_BID_RANGE.highest)
            bid_by = fields.read("bid_by", self.reader.read_side)
            no_trump = fields.boolean("no_trump", default=False)
        fields.finish()
        if points is None or len(fields.problems.found) > before:
            return None
        return PadLine(points=points, round=named, won_by=won_by, bids=bids, bid=bid, bid_by=bid_by, no_trump=no_trump)

    def write_line(self, line: PadLine) -> dict[str, Any]:
        written: dict[str, Any] = {} if line.round is None else {"round": line.round}
        if line.bids:
            written["bids"] = {side: line.bids[side] for side in self.sides}
        if line.bid is not None:
            written |= {"bid_by": line.bid_by, "bid": line.bid}
        if line.no_trump:
            written["no_trump"] = True
        written["points"] = {side: line.points[side] for side in self.sides}
        return written if line.won_by is None else written | {"won_by": line.won_by}

    def make_initial_standing(self) -> _PadStanding:
        return _PadStanding(totals=dict.fromkeys(self.sides, 0))

    def score_line(self, standing: _PadStanding, line: PadLine) -> tuple[_PadStanding, LineTally]:
        """Score a round. If a side is on its way back to zero, its points are subtracted."""
        points = {side: -line.points[side] if side in standing.returning else line.points[side] for side in self.sides}
        totals = {side: standing.totals[side] + points[side] for side in self.sides}
        complete, winner = (
            self.terms.find_end(totals, standing.lines + 1, standing.returning)
            if line.won_by is None
            else (True, line.won_by)
        )
        after = _PadStanding(
            totals=totals,
            complete=complete,
            winner=winner,
            lines=standing.lines + 1,
            returning=standing.returning | self.terms.find_returning_sides(totals),
        )
        explanation = self._explain_round(standing, line, points)
        return after, LineTally(points=points, running=totals, event="points", explanation=explanation)

    def _explain_round(self, standing: _PadStanding, line: PadLine, points: Mapping[str, int]) -> str:
        played = self.terms.make_round(standing.lines)
        name = lazy_text("Round %(number)s", number=standing.lines + 1)
        if self.terms.rounds:
            name = join_texts(", ", [name, played.name])
        if played.task:
            name = lazy_text("%(round)s (%(asks)s)", round=name, asks=played.task)
        each = [lazy_text("%(points)s to %(side)s", points=number, side=side) for side, number in points.items()]
        parts = [join_texts(": ", [name, join_texts(", ", each)])]
        parts += [lazy_text("%(side)s bid %(bid)s", side=side, bid=bid) for side, bid in line.bids.items()]
        if line.bid is not None:
            bid = lazy_text("%(bid)s, no trump", bid=line.bid) if line.no_trump else str(line.bid)
            parts.append(lazy_text("%(side)s bid %(bid)s", side=line.bid_by or "", bid=bid))
        parts += [
            lazy_text("%(side)s works back to zero", side=side) for side in self.sides if side in standing.returning
        ]
        if line.won_by:
            parts.append(lazy_text("won outright by %(side)s", side=line.won_by))
        return join_texts(". ", [join_texts("; ", parts), *([self.terms.pad.source] if self.terms.pad else ())])

    def find_leaders(self, counted: Tally) -> tuple[str, ...]:
        """Return the sides that are ahead.

        In a game with `back_to_zero`, a side that has reached the target plays back down to zero. The totals do not
        show who is ahead in such a game, so all sides are returned.
        """
        return self.sides if self.terms.back_to_zero else super().find_leaders(counted)

    def iter_problems(self, standing: _PadStanding, line: PadLine | None) -> Iterable[InputProblem]:
        """Yield a problem if the round is out of order, or if the recorded winner is not the winner by points."""
        yield from super().iter_problems(standing, line)
        if standing.complete or line is None:
            return
        due = self.terms.make_round(standing.lines).name
        if line.round is not None and line.round != due:
            message = lazy_text(
                "The round to be recorded is %(due)s, not %(round)s: they are played in their order.",
                due=due,
                round=shorten_text(line.round),
            )
            yield InputProblem("bad-value", "round", message)
        _, counted = self.score_line(standing, line)
        _is_over, by_points = self.terms.find_end(counted.running, standing.lines + 1, standing.returning)
        if line.won_by is not None and by_points not in (None, line.won_by):
            message = lazy_text("By the points %(what)s has won with this round.", what=shorten_text(by_points or ""))
            yield InputProblem("bad-value", "won_by", message)

    def iter_warnings(self, line: PadLine, earlier: Sequence[PadLine]) -> Iterator[LineWarning]:
        standing = self.make_initial_standing()
        for each in earlier:
            standing, _ = self.score_line(standing, each)
        if self.terms.pad is not None:
            played = PlayedRound(
                line, self.terms.make_round(len(earlier)), len(earlier), standing.totals, self.terms.has_rounds_of_book
            )
            yield from (LineWarning(code, message) for code, message in find_round_faults(self.terms.pad, played))
        _, counted = self.score_line(standing, line)
        is_played_for_points = bool(self.terms.rounds) or self.terms.target is not None
        is_complete, _winner = self.terms.find_end(counted.running, standing.lines + 1, standing.returning)
        is_over = is_complete or self.terms.is_target_reached(counted.running)
        if line.won_by is not None and is_played_for_points and not is_over:
            yield LineWarning(
                "won-early",
                lazy_text(
                    "By the points the game would go on. Has %(won_by)s really won it outright?", won_by=line.won_by
                ),
            )

    def make_rule_tables(self) -> tuple[RuleTable, ...]:
        return tuple(_iter_rule_tables(self.terms))

    def columns(self) -> tuple[SheetColumn, ...]:
        """Return the columns: the round, its task if there is one, then each side's points and total."""
        terms = self.terms
        first = [
            SheetColumn(
                key="round",
                heading=lazy_text("Round"),
                weight=2,
                text=lambda row: terms.make_round(row.number - 1).name,
            )
        ]
        if terms.has_instructions:
            asks = SheetColumn(
                key="asks",
                heading=lazy_text("This round"),
                weight=3,
                text=lambda row: terms.make_round(row.number - 1).task,
            )
            first.append(asks)
        if self.bidding is BidKind.HIGHEST:
            first.append(SheetColumn(key="bid", heading=lazy_text("Bid"), weight=3, text=_describe_highest_bid))
        is_bid = self.bidding is BidKind.EACH
        return (
            *first,
            *(column for side in self.sides for column in _make_side_columns(side, len(self.sides), is_bid=is_bid)),
        )

    def blocks(
        self, rows: Sequence[SheetRow], counted: Tally | None = None, *, blank: int = 0
    ) -> tuple[SheetBlock, ...]:
        """Return the pad, with a row for each round and columns for each side."""
        blocks = [_make_pad_block(self, rows, counted, blank)]
        pad = self.terms.pad
        if pad and pad.steps:
            blocks.append(_make_steps_block(self.sides, pad, rows))
        return (*blocks, _make_counts_block(pad)) if pad else tuple(blocks)


# --- The sheet -------------------------------------------------------------------------------------------------------
# Rounds go down and sides across, with each round's task and the worth of cards.

_MOST_WITH_TWO_COLUMNS: Final = 6
"""The maximum number of sides with separate columns for points and total.

With more sides, each has a single column.
"""


def _make_side_columns(side: str, sides: int, *, is_bid: bool) -> tuple[SheetColumn, ...]:
    bid = SheetColumn(
        key="side-bid",
        heading=lazy_text("Bid"),
        side=side,
        numeric=True,
        text=lambda row: str(row.line.bids.get(side, "")),
    )
    if sides > _MOST_WITH_TWO_COLUMNS:
        heading = lazy_text("Points") if is_bid else side

        def text(row: SheetRow) -> str:
            return f"{row.line_tally.points[side]} → {row.line_tally.running[side]}"

        both = SheetColumn(key="running", heading=heading, side=side, numeric=True, text=text)
        return (bid, both) if is_bid else (both,)
    points = SheetColumn(
        key="score",
        heading=lazy_text("Points"),
        side=side,
        numeric=True,
        text=lambda row: str(row.line_tally.points[side]),
    )
    return (bid, points, make_total_column(side)) if is_bid else (points, make_total_column(side))


def _describe_highest_bid(row: SheetRow) -> str:
    """Return the highest bid as text, such as “We 70, no trump”."""
    if row.line.bid is None:
        return ""
    if row.line.no_trump:
        return lazy_text("%(side)s %(bid)s, no trump", side=row.line.bid_by, bid=row.line.bid)
    return lazy_text("%(side)s %(bid)s", side=row.line.bid_by, bid=row.line.bid)


def _make_pad_block(variant: ScorePad, rows: Sequence[SheetRow], counted: Tally | None, blank: int) -> SheetBlock:
    sides, terms, columns = variant.sides, variant.terms, variant.columns()
    named = sum(column.side is None for column in columns)
    a_side = (len(columns) - named) // len(sides)
    lines = []
    for row in rows:
        first, *rest = (column.make_cell(row) for column in columns)
        lines.append(LineCells((replace(first, why=row.line_tally.explanation), *rest), row.number))
    is_over = counted is not None and counted.complete
    left = (len(terms.rounds) - len(rows) if terms.rounds else blank) if not is_over else 0
    lines += [_make_empty_line(terms, len(rows) + n, columns) for n in range(left)]
    return SheetBlock(
        title=terms.pad.title if terms.pad else "",
        headings=tuple(Heading(c.heading, c.key, c.numeric, c.weight) for c in columns),
        groups=(HeadingGroup("", named), *(HeadingGroup(side, a_side) for side in sides)) if a_side > 1 else (),
        lines=tuple(lines),
        footer=(
            LineCells(
                (
                    Cell(text=lazy_text("Total"), span=named),
                    *(_make_total_cell(side, a_side, rows, counted) for side in sides),
                )
            ),
            LineCells((Cell(text=terms.summary, span=len(columns)),)),
        ),
    )


def _make_empty_line(terms: TypedPadOptions, place: int, columns: Sequence[SheetColumn]) -> LineCells:
    due = terms.make_round(place)
    known = {"round": due.name, "asks": due.task}
    cells = (
        Cell(text=known[column.key]) if column.key in known else Cell(numeric=column.numeric, write=True)
        for column in columns
    )
    return LineCells(tuple(cells))


def _make_total_cell(side: str, span: int, rows: Sequence[SheetRow], counted: Tally | None) -> Cell:
    total = rows[-1].line_tally.running[side] if rows else None
    won = counted is not None and counted.winner == side
    return Cell(
        text="" if total is None else str(total), span=span, numeric=True, strong=True, write=total is None,
        mark=CellMark.WON if won else CellMark.NONE,
    )  # fmt: skip


def _make_steps_block(sides: tuple[str, ...], pad: ScorePadGame, rows: Sequence[SheetRow]) -> SheetBlock:
    """Return a block that shows in which round each side completed each step."""
    lines = []
    for number, step in enumerate(pad.steps, start=1):
        reached = (
            next((str(row.number) for row in rows if row.line_tally.running[side] >= number), "") for side in sides
        )
        cells = (Cell(text=at, numeric=True, write=not at) for at in reached)
        lines.append(LineCells((Cell(text=str(number), numeric=True), Cell(text=step), *cells)))
    each = (Heading(side, numeric=True) for side in sides)
    headings = (Heading("", numeric=True), Heading(lazy_text("In order"), weight=3), *each)
    return SheetBlock(title=lazy_text("Round in which each was made"), headings=headings, lines=tuple(lines))


def _make_counts_block(pad: ScorePadGame) -> SheetBlock:
    notes = [text for text in (pad.wild, *pad.notes) if text]
    lines = [LineCells((Cell(text=what), Cell(text=worth))) for what, worth in pad.counts]
    lines += [LineCells((Cell(text=text, span=2),)) for text in notes]
    foot = (LineCells((Cell(text=pad.source, span=2),)),)
    return SheetBlock(
        title=lazy_text("What counts"), headings=(Heading("", weight=2), Heading("")), lines=tuple(lines), footer=foot
    )
