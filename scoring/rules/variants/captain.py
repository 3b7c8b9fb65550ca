"""Captain, gin for three players: the “box” plays against the captain, and the third player sits out.

Sources: a book's chapter on three-handed gin (see `docs/rules/captain.md`), under the headings “Configuration and
Player Roles”, “Bargain” (about the deal), “Knocking”, “Scoring”, “Going Gin”, “Draws”, and “Winning”; CONTRACTS.md,
tally, `captain`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, cast

from scoring.rules.book.layout import Cell, CellMark, Heading, HeadingGroup, LineCells, SheetBlock
from scoring.rules.book.options import Option, Options, Rulebook, RuleTopic
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hand_reader import HAND_FIELDS, HandReader, UpCardReading, hand_to_json
from scoring.rules.hand.hands import (
    ACE_COUNTS_ONE,
    FINISHING_OUTCOMES,
    GIN_OPTIONS,
    FinishedHand,
    Hand,
    HandOutcome,
    KnockRule,
    score_hand,
)
from scoring.rules.variants.gin.two_sided import GinVariant, format_outcome, make_side_columns
from scoring.rules.variants.variant import (
    LineField,
    LineTally,
    LineWarning,
    SheetColumn,
    SheetRow,
    SheetStanding,
    TableDraw,
    TableDrawPosition,
    Tally,
    make_line_number_column,
)
from tournament.cases import FieldReader, join_path, shorten_text
from tournament.errors import InputProblem
from tournament.lazy_text import lazy_text

# --- Roles and recorded hands ----------------------------------------------------------------------------------------
# Two of the three players play: one in the box, and the captain against that player. The third sits out.

_NO_UP_CARD: Final = UpCardReading(None)
_BY_SIDE: Final = ("counts", "missing", "extra")


@dataclass(frozen=True, slots=True)
class CaptainRoles:
    box: str
    captain: str
    out: str

    @property
    def active_sides(self) -> tuple[str, str]:
        return self.box, self.captain

    def find_role(self, side: str) -> str:
        """Return the side's role: `box`, `captain` or `out`."""
        return {self.box: "box", self.captain: "captain"}.get(side, "out")

    def make_next_roles(self, scorer: str | None) -> "CaptainRoles":
        """Return the roles for the next hand. If nobody scored, the roles do not change.

        >>> CaptainRoles("Ann", "Bob", "Cy").make_next_roles("Ann")
        CaptainRoles(box='Ann', captain='Cy', out='Bob')
        >>> CaptainRoles("Ann", "Bob", "Cy").make_next_roles("Bob")
        CaptainRoles(box='Bob', captain='Cy', out='Ann')
        """
        if scorer is None:
            return self
        if scorer == self.box:
            return CaptainRoles(self.box, self.out, self.captain)
        return CaptainRoles(self.captain, self.out, self.box)

    def as_json(self) -> dict[str, str]:
        return {"box": self.box, "captain": self.captain, "out": self.out}


@dataclass(frozen=True, slots=True)
class _WrittenHand:
    """A line as recorded, before it is checked against the players' roles. `hand` is None if the line was rejected.

    `named` lists each mention of a side, with the path of the mention. `counted` contains the sides that have a count,
    or is None if nobody ended the hand or the counts are unreadable.
    """

    hand: Hand | None
    named: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    counted: frozenset[str] | None = field(default=None, compare=False)


class _WrittenHandReader(HandReader):
    """Reads a hand without knowing which player sits out. Hands in this game have no up card."""

    def read_written(self, fields: FieldReader) -> _WrittenHand:
        """Read a hand, and add the problems that do not depend on the roles."""
        written = fields.choice("outcome", [outcome.value for outcome in HandOutcome])
        dealer = fields.read("dealer", self.read_side, None)
        if written is None:
            fields.finish(known=HAND_FIELDS)
            return _WrittenHand(None)
        outcome, before = HandOutcome(written), len(fields.problems.found)
        hand = self._read_outcome(fields, outcome, _NO_UP_CARD, dealer)
        is_good = len(fields.problems.found) == before
        fields.finish()
        named = tuple(self._iter_named_sides(fields.data, outcome))
        counts = fields.data.get("counts")
        counted = frozenset(counts) if outcome in FINISHING_OUTCOMES and isinstance(counts, dict) else None
        return _WrittenHand(hand if is_good else None, named, counted)

    def _find_opponent(self, by: str, counts: Mapping[str, int]) -> str | None:
        others = [side for side in counts if side != by]
        return others[0] if len(others) == 1 else None

    def _list_sides_to_count(self) -> tuple[str, ...]:
        """Return an empty tuple, so that no counts are required yet. `_check_roles` checks the counts later."""
        return ()

    def _iter_named_sides(self, data: Mapping[str, Any], outcome: HandOutcome) -> Iterator[tuple[str, str]]:
        single, by_side = ("by", _BY_SIDE) if outcome in FINISHING_OUTCOMES else ("to", ())
        if (outcome in FINISHING_OUTCOMES or outcome is HandOutcome.POINTS) and data.get(single) in self.sides:
            yield single, data[single]
        for name in by_side:
            if isinstance(data.get(name), dict):
                yield from ((join_path(name, shorten_text(side)), side) for side in data[name] if side in self.sides)


def _check_roles(written: _WrittenHand, roles: CaptainRoles) -> Iterator[InputProblem]:
    """Yield a problem for each mention of the player who sits out, and for each active player without a count."""
    out = shorten_text(roles.out)
    for path, side in written.named:
        if side == roles.out:
            playing = lazy_text(
                "%(box)s is in the box, %(captain)s is captain",
                box=shorten_text(roles.box),
                captain=shorten_text(roles.captain),
            )
            yield InputProblem(
                "bad-value", path, lazy_text("%(out)s sits out in this hand: %(playing)s.", out=out, playing=playing)
            )
    counted = set(roles.active_sides) if written.counted is None else written.counted
    for name in (shorten_text(side) for side in roles.active_sides if side not in counted):
        yield InputProblem(
            "missing-field",
            join_path("counts", name),
            lazy_text("The count of %(name)s, who plays, is missing.", name=name),
        )


# --- The variant -----------------------------------------------------------------------------------------------------

_BOOK_TITLE = lazy_text("three-handed gin")
_CAPTAIN_RULES = {
    "target": (100, lazy_text("%(book)s, Winning", book=_BOOK_TITLE)),
    "knock": (10, lazy_text("%(book)s, Knocking", book=_BOOK_TITLE)),
    "gin_bonus": (25, lazy_text("%(book)s, Going Gin", book=_BOOK_TITLE)),
    "undercut_bonus": (10, lazy_text("%(book)s, Scoring", book=_BOOK_TITLE)),
}
"""Options shared with two-sided gin, with this game's values and the values' sources."""

_DRAW = TableDraw(
    rule=lazy_text("%(book)s, Configuration and Player Roles", book=_BOOK_TITLE),
    instruction=lazy_text("Each draws a card for the roles of the first hand."),
    name=lazy_text("the draw for roles"),
    words=lazy_text("The highest card goes into the box, the middle one is captain, the lowest sits out. Ace is low."),
    places=(
        TableDrawPosition(lazy_text("Highest card"), lazy_text("goes into the box and deals"), lazy_text("in the box")),
        TableDrawPosition(lazy_text("Middle card"), lazy_text("is captain of the other two"), lazy_text("captain")),
        TableDrawPosition(lazy_text("Lowest card"), lazy_text("sits out the first hand"), lazy_text("sits out")),
    ),
    decides_roles=True,
)

_HEADINGS = {"role": lazy_text("Role"), "points": lazy_text("Points"), "running": lazy_text("Total")}

_SUMMARY = (
    lazy_text(
        "Three play, two at a time. Each draws a card: the highest goes into the box, the middle one "
        "is captain, the lowest sits out and may advise the captain, who decides."
    ),
    lazy_text("The player in the box deals ten cards each and turns one up. Knock with ten points or fewer."),
    lazy_text(
        "A knock with strictly fewer points scores the difference. With as many or more it is "
        "undercut: the opponent scores the difference and ten. Gin scores the opponent's count and "
        "25."
    ),
    lazy_text(
        "If the box wins the hand, the box stays and the other two change places. If the box loses, "
        "that player sits out, the captain goes into the box, and the one who sat out is captain. A "
        "hand without points changes nothing."
    ),
    lazy_text(
        "The player who sits out never scores. The first at 100 points wins. If the options of this "
        "sheet differ, they count."
    ),
)


@dataclass(frozen=True, slots=True)
class _CaptainStanding(SheetStanding):
    """The totals and the roles for the next hand. `roles` is None if they depend on a rejected hand."""

    roles: CaptainRoles | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _CaptainLine(LineTally):
    roles: CaptainRoles

    def as_json(self) -> dict[str, Any]:
        return {**super(_CaptainLine, self).as_json(), "roles": self.roles.as_json()}


class CaptainGin(GinVariant[_WrittenHand, _CaptainStanding]):
    name = "captain"
    title = lazy_text("Captain, three-handed gin")
    about = lazy_text("Three players, two of whom play at a time: the box against the captain, and the third sits out.")
    fewest_sides = 3
    most_sides = 3
    signers = lazy_text("All three players sign.")
    rulebook = Rulebook(
        lazy_text("Three-handed gin with a captain"),
        {
            RuleTopic.KNOCK_CARD: lazy_text("%(book)s, Knocking", book=_BOOK_TITLE),
            RuleTopic.KNOCK: lazy_text("%(book)s, Scoring", book=_BOOK_TITLE),
            RuleTopic.GIN: lazy_text("%(book)s, Going Gin", book=_BOOK_TITLE),
            RuleTopic.FIFTIETH_CARD: lazy_text("%(book)s, Draws", book=_BOOK_TITLE),
        },
        _SUMMARY,
    )
    options: ClassVar[tuple[Option, ...]] = tuple(
        replace(option, default=_CAPTAIN_RULES[option.name][0], rule=_CAPTAIN_RULES[option.name][1], named=())
        for option in GIN_OPTIONS
        if option.name in _CAPTAIN_RULES
    )

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, {"ace": ACE_COUNTS_ONE, **options})
        self.reader = _WrittenHandReader(sides, self.terms, self.rulebook)

    def read_line(self, fields: FieldReader) -> _WrittenHand:
        return self.reader.read_written(fields)

    def write_line(self, line: _WrittenHand) -> dict[str, Any]:
        return hand_to_json(_require_hand(line))

    def make_initial_standing(self) -> _CaptainStanding:
        return _CaptainStanding(totals=dict.fromkeys(self.sides, 0), roles=CaptainRoles(*self.sides))

    def iter_problems(self, standing: _CaptainStanding, line: _WrittenHand | None) -> Iterable[InputProblem]:
        yield from super().iter_problems(standing, line)
        if line is not None and standing.roles is not None and not standing.complete:
            yield from _check_roles(line, standing.roles)

    def score_line(self, standing: _CaptainStanding, line: _WrittenHand) -> tuple[_CaptainStanding, LineTally]:
        """Score a hand. After a rejected line, the roles are unknown, so later lines are checked without roles."""
        if line.hand is None or standing.roles is None:
            unknown = LineTally(points={}, running=standing.totals, event="")
            return replace(standing, roles=None), unknown
        verdict = score_hand(line.hand, self.terms, self.rulebook)
        points = {side: verdict.points if side == verdict.to else 0 for side in self.sides}
        totals = {side: standing.totals[side] + points[side] for side in self.sides}
        winner = self.find_winner(totals)
        roles = standing.roles
        after = _CaptainStanding(totals, winner is not None, winner, roles=roles.make_next_roles(verdict.to))
        words = f"{verdict.explanation}; {_describe_change_of_roles(roles, verdict.to)}"
        return after, _CaptainLine(points=points, running=totals, event=verdict.event, explanation=words, roles=roles)

    def iter_warnings(self, line: _WrittenHand, earlier: Sequence[_WrittenHand]) -> Iterator[LineWarning]:
        hand, standing = _require_hand(line), self.make_initial_standing()
        yield from self.iter_hand_warnings(hand, [_require_hand(written) for written in earlier])
        for written in earlier:
            standing, _ = self.score_line(standing, written)
        roles = standing.roles
        if roles is not None and hand.dealer not in (None, roles.box):
            message = lazy_text(
                "%(dealer)s is recorded as dealer, but %(box)s is in the box and deals, %(book)s, Bargain.",
                dealer=hand.dealer,
                box=roles.box,
                book=_BOOK_TITLE,
            )
            yield LineWarning("dealer-not-in-box", message)

    def make_knock_rule(self, up: PlayingCard | None) -> KnockRule:
        return super().make_knock_rule(None)

    def make_showdown_line(self, hand: FinishedHand) -> dict[str, Any]:
        return hand_to_json(replace(hand, up=None))

    def table_draw(self) -> TableDraw:
        return _DRAW

    def line_fields(self) -> tuple[LineField, ...]:
        return tuple(
            replace(asked, hint=lazy_text("Of the two who play, after lay-offs")) if asked.name == "counts" else asked
            for asked in self.list_hand_fields()
        )

    def columns(self) -> tuple[SheetColumn, ...]:
        return (
            make_line_number_column(),
            SheetColumn(
                key="outcome",
                heading=lazy_text("Outcome"),
                text=lambda row: format_outcome(_require_hand(row.line), row.line_tally.event),
                weight=2.5,
            ),
            *(column for side in self.sides for column in (_make_role_column(side), *make_side_columns(side))),
        )

    def blocks(
        self, rows: Sequence[SheetRow], counted: Tally | None = None, *, blank: int = 0
    ) -> tuple[SheetBlock, ...]:
        """Return the sheet, with a role, points and total for each player."""
        columns = self.columns()
        headings = tuple(Heading(_HEADINGS.get(c.key, c.heading), c.key, c.numeric, c.weight) for c in columns)
        groups = (HeadingGroup("", 2), *(HeadingGroup(side, 3) for side in self.sides))
        lines = [LineCells(tuple(_make_cell(column, row, counted) for column in columns), row.number) for row in rows]
        over = counted is not None and counted.complete
        lines += [self._blank_line(rows, number, over) for number in range(len(rows) + 1, len(rows) + 1 + blank)]
        return (SheetBlock(headings=headings, groups=groups, lines=tuple(lines)),)

    def _blank_line(self, rows: Sequence[SheetRow], number: int, over: bool) -> LineCells:
        known = not over and number == len(rows) + 1 and (bool(rows) or self.order_is_known)
        roles = self._find_next_roles(rows) if known else None
        cells = [Cell(text=str(number), numeric=True), Cell(write=True)]
        for side in self.sides:
            role = Cell(write=True)
            if roles is not None:
                role = Cell(text=roles.find_role(side), mark=CellMark.OUT if side == roles.out else CellMark.NONE)
            cells += [role, Cell(numeric=True, write=True), Cell(numeric=True, write=True)]
        return LineCells(tuple(cells))

    def _find_next_roles(self, rows: Sequence[SheetRow]) -> CaptainRoles:
        if not rows:
            return CaptainRoles(*self.sides)
        points = rows[-1].line_tally.points
        return _get_roles(rows[-1]).make_next_roles(next((side for side in self.sides if points[side]), None))


def _require_hand(line: _WrittenHand) -> Hand:
    if line.hand is None:
        raise ValueError("a sheet holds read lines only")
    return line.hand


def _describe_change_of_roles(roles: CaptainRoles, scorer: str | None) -> str:
    box, captain, out = roles.box, roles.captain, roles.out
    if scorer is None:
        return lazy_text("nobody changes places")
    if scorer == box:
        return lazy_text(
            "%(box)s won in the box and stays, %(captain)s and %(out)s change places", box=box, captain=captain, out=out
        )
    return lazy_text(
        "%(box)s lost in the box and sits out, %(captain)s goes into the box, %(out)s is captain",
        box=box,
        captain=captain,
        out=out,
    )


def _make_role_column(side: str) -> SheetColumn:
    return SheetColumn(
        key="role",
        heading=lazy_text("%(side)s, role", side=side),
        side=side,
        text=lambda row: _get_roles(row).find_role(side),
    )


def _get_roles(row: SheetRow) -> CaptainRoles:
    return cast("_CaptainLine", row.line_tally).roles


def _make_cell(column: SheetColumn, row: SheetRow, counted: Tally | None) -> Cell:
    cell = column.make_cell(row)
    if column.key in ("role", "points") and column.side == _get_roles(row).out:
        return replace(cell, mark=CellMark.OUT)
    won = counted is not None and counted.winner == column.side and row.number == len(counted.lines)
    return replace(cell, mark=CellMark.WON) if won and column.key == "running" else cell
