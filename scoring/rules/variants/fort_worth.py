"""Fort Worth Gin: two to five players, a different wild rank in each hand, and the lowest total wins.

Source: Fort Worth Gin (John Greer, 1997), cited with its paragraph numbers, such as “C 5”; CONTRACTS.md, tally,
fort-worth.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, cast

from scoring.rules.book.layout import Cell, CellMark, Heading, HeadingGroup, LineCells, SheetBlock
from scoring.rules.book.options import NamedValue, NumberRange, Option, Options, Rulebook, RuleTable
from scoring.rules.hand.cards import RANKS, PlayingCard, read_card
from scoring.rules.hand.hand_reader import SideReader
from scoring.rules.hand.hands import MAX_POINTS
from scoring.rules.variants.gin.two_sided import format_up_card, make_side_columns
from scoring.rules.variants.variant import (
    FieldKind,
    LineField,
    LineTally,
    LineWarning,
    SheetColumn,
    SheetRow,
    SheetStanding,
    TableDraw,
    TableDrawPosition,
    Tally,
    Variant,
)
from tournament.cases import FieldReader, join_path, shorten_text
from tournament.lazy_text import join_texts, lazy_text

# --- Hands -----------------------------------------------------------------------------------------------------------
# Each side's points in a hand, including the bonus for closing and the doublings.

WILD_RANKS: Final[Mapping[str, str]] = {"full": RANKS, "short": "A3579JK", "very-short": "2468TQ"}
"""The wild rank of each hand, for each value of the option `length` (A 5, A 6)."""
WILD_POINTS: Final = 20
"""The points for a wild card left in the hand (C 4)."""
CARDS_DEALT: Final = 7
MAX_HAND_POINTS: Final = 4 * WILD_POINTS + (CARDS_DEALT - 4) * 10
"""The highest possible count of seven cards: four wild cards, and three cards that count ten (B 3, C 4)."""


@dataclass(frozen=True, slots=True)
class _WildHand:
    """A recorded hand. `by` is the player who closed the hand, and `counts` has the other players' counts.

    `by` is None in a stymie, a hand that ends without anybody closing it (B 5, B 6). `turn` is the turned-up card.
    """

    by: str | None
    counts: Mapping[str, int]
    turn: PlayingCard | None = None


def _compute_closing_bonus(total: int) -> int:
    """Return the points taken off for closing a hand at this total (Fort Worth C 5).

    The side gets 10 points off, plus 10 for each full hundred in the total. A negative total counts as 0.

    >>> [_compute_closing_bonus(total) for total in (-250, 0, 99, 100, 199, 200, 1000)]
    [10, 10, 10, 20, 20, 30, 110]
    """
    return 10 * (max(total, 0) // 100 + 1)


# --- Damages ---------------------------------------------------------------------------------------------------------
# If the low total wins, each loser pays the winners for the difference.


@dataclass(frozen=True, slots=True, kw_only=True)
class _DamagesSettlement:
    """The settlement of a finished game (“damages”). `cents` is the amount that each side receives.

    A negative amount has to be paid. All amounts add up to zero.
    """

    totals: Mapping[str, int]
    doubled: bool
    low: int
    winners: tuple[str, ...]
    cents: Mapping[str, int]


def _settle_lowest_wins(totals: Mapping[str, int], *, double_negative: bool, value_cents: int) -> _DamagesSettlement:
    """Settle the totals: each side pays for the difference between its total and the lowest total.

    If `double_negative` is set and the lowest total is negative, all totals are doubled first. Tied winners share the
    payments equally. If a few cents are left over, the first winners get one more cent each.

    >>> _settle_lowest_wins({"Ann": 40, "Bob": 12, "Cy": 12}, double_negative=False, value_cents=25).cents
    {'Ann': -700, 'Bob': 350, 'Cy': 350}
    >>> _settle_lowest_wins({"Ann": 3, "Bob": 0, "Cy": 0}, double_negative=False, value_cents=1).cents
    {'Ann': -3, 'Bob': 2, 'Cy': 1}
    """
    doubled = double_negative and min(totals.values()) < 0
    final = {side: total * 2 for side, total in totals.items()} if doubled else dict(totals)
    low = min(final.values())
    winners = tuple(side for side, total in final.items() if total == low)
    cents = {side: (low - total) * value_cents for side, total in final.items()}
    share, odd = divmod(-sum(cents.values()), len(winners))
    for place, side in enumerate(winners):
        cents[side] = share + (place < odd)
    return _DamagesSettlement(totals=final, doubled=doubled, low=low, winners=winners, cents=cents)


def _format_money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


# --- The variant -----------------------------------------------------------------------------------------------------

_RANK_NAMES: Final[Mapping[str, str]] = {"A": "aces", "T": "10s", "J": "jacks", "Q": "queens", "K": "kings"}
"""The plural names of some ranks. Names of other ranks are like “3s”."""

_LOW_CARDS: Final = (
    lazy_text("Lowest card"),
    lazy_text("Second lowest card"),
    lazy_text("Third lowest card"),
    lazy_text("Fourth lowest card"),
    lazy_text("Highest card"),
)
_SUMMARY: Final = (
    lazy_text(
        "Two to five play, each on their own; the lowest total wins. Seven cards each; the wild rank "
        "goes from aces in the first hand to kings in the last."
    ),
    lazy_text(
        "A hand ends when a player closes: all their cards are in melds and they discard the last "
        "one. After two shuffles of the discard pile without that it is a stymie."
    ),
    lazy_text("The others count what they hold: wild cards 20, court cards 10, aces 1, the rest their number."),
    lazy_text(
        "The player who closes takes points off: ten while their total is under 100, 20 from 100, 30 "
        "from 200, and so on."
    ),
    lazy_text(
        "Spades, where marked: the hand doubles, points off included, when a spade is turned, and "
        "triples for the ace. Kings double, where marked: the last hand doubles; with spades it is "
        "still only doubled, but triples for the ace."
    ),
    lazy_text("Double negative, where marked: all totals double when the winner's is under zero."),
    lazy_text(
        "Each loser pays the value of a point for every point between their total and the winner's; "
        "winners who tie split it. A variation exists only where it is marked on the sheet before "
        "play."
    ),
)


def _make_played_values(name: str) -> tuple[NamedValue, ...]:
    return NamedValue(False, lazy_text("not played")), NamedValue(True, lazy_text("played"), name)


class FortWorthGin(Variant[_WildHand, SheetStanding]):
    name = "fort-worth"
    title = lazy_text("Fort Worth Gin")
    about = lazy_text("Two to five players, each on their own, with a wild rank a hand; the lowest total wins.")
    fewest_sides = 2
    most_sides = 5
    low_wins = True
    signers = lazy_text("Every player signs: each is answerable for their own score (Fort Worth C 3).")
    rulebook = Rulebook(lazy_text("Fort Worth Gin, John Greer, 1997"), summary=_SUMMARY)
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            name="length",
            label=lazy_text("Length of the game"),
            meaning=lazy_text("How many hands are played, and which rank is wild in each."),
            default="full",
            rule=lazy_text("Fort Worth A 5"),
            named=(
                NamedValue(
                    "full", lazy_text("13 hands, aces to kings wild"), lazy_text("13 hands, aces to kings wild")
                ),
                NamedValue(
                    "short",
                    lazy_text("seven hands, odd numbers wild: A 3 5 7 9 J K"),
                    lazy_text("Seven hands, odd numbers wild"),
                ),
                NamedValue(
                    "very-short",
                    lazy_text("six hands, even numbers wild: 2 4 6 8 10 Q"),
                    lazy_text("Six hands, even numbers wild"),
                ),
            ),
        ),
        Option(
            name="spades",
            label=lazy_text("Spades"),
            meaning=lazy_text("A spade turned doubles the hand, points off included; the ace of spades triples it."),
            default=False,
            rule=lazy_text("Fort Worth C 7"),
            named=_make_played_values(lazy_text("Spades")),
        ),
        Option(
            name="kings_double",
            label=lazy_text("Kings Double"),
            meaning=lazy_text(
                "The hand with kings wild doubles; with spades it is only doubled, but the ace of spades triples."
            ),
            default=False,
            rule=lazy_text("Fort Worth C 8"),
            named=_make_played_values(lazy_text("Kings Double")),
        ),
        Option(
            name="double_negative",
            label=lazy_text("Double Negative"),
            meaning=lazy_text(
                "All totals double when the winner's is under zero. Not recommended in a short game or with "
                "fewer than four players."
            ),
            default=False,
            rule=lazy_text("Fort Worth C 6"),
            named=_make_played_values(lazy_text("Double Negative")),
        ),
        Option(
            name="value_cents",
            label=lazy_text("Value of a point, in cents"),
            short_label=lazy_text("A point is {} cents"),
            meaning=lazy_text("What each loser pays for every point between their total and the winner's."),
            default=50,
            rule=lazy_text("Fort Worth B 7"),
            numbers=NumberRange(0, MAX_POINTS),
        ),
    )

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        self.wild = WILD_RANKS[str(options["length"])]
        self.hand_limit = len(self.wild)
        self.spades = options["spades"] is True
        self.kings_double = options["kings_double"] is True
        self.double_negative = options["double_negative"] is True
        self.value_cents = cast("int", options["value_cents"])
        self.reader = SideReader(sides)

    def read_line(self, fields: FieldReader) -> _WildHand | None:
        before = len(fields.problems.found)
        by = fields.read("by", self.reader.read_side, None)
        turn = fields.read("turn", read_card, None)
        counts = fields.read("counts", self.reader.make_number_reader(NumberRange(0, MAX_POINTS), each=False)) or {}
        if self.spades and "turn" not in fields:
            message = lazy_text(
                "“turn” is missing: with spades the card turned up decides what the hand counts, Fort Worth C 7."
            )
            fields.problems.add("missing-field", fields.get_path("turn"), message)
        if by is not None or "by" not in fields:
            self._require_all_counts(fields, by)
        fields.finish()
        return _WildHand(by, counts, turn) if len(fields.problems.found) == before else None

    def _require_all_counts(self, fields: FieldReader, by: str | None) -> None:
        """Add a problem unless everybody except the player who closed has a count.

        `by` is the player who closed, or None if nobody did.
        """
        given = fields.data.get("counts")
        if not isinstance(given, dict):
            return
        if by is not None and by in given:
            message = lazy_text(
                "%(by)s closed and holds no cards: they take points off instead, Fort Worth C 5.", by=shorten_text(by)
            )
            fields.problems.add_bad_value(join_path(fields.get_path("counts"), shorten_text(by)), message)
        for name in (shorten_text(side) for side in self.sides if side != by and side not in given):
            message = lazy_text("The count of %(name)s, who did not close, is missing.", name=name)
            fields.problems.add("missing-field", join_path(fields.get_path("counts"), name), message)

    def write_line(self, line: _WildHand) -> dict[str, Any]:
        by = {} if line.by is None else {"by": line.by}
        turn = {} if line.turn is None else {"turn": str(line.turn)}
        return {**by, **turn, "counts": dict(line.counts)}

    def make_initial_standing(self) -> SheetStanding:
        return SheetStanding(totals=dict.fromkeys(self.sides, 0))

    def score_line(self, standing: SheetStanding, line: _WildHand) -> tuple[SheetStanding, LineTally]:
        """Score a hand. Running totals are not doubled, because the double-negative option applies only at the end."""
        worth = {side: self._score_side(side, line, total, standing.lines) for side, total in standing.totals.items()}
        totals = {side: total + worth[side][0] for side, total in standing.totals.items()}
        event = "stymie" if line.by is None else "close"
        counted = LineTally(
            points={side: points for side, (points, _working) in worth.items()},
            running=totals,
            event=event,
            explanation=join_texts(": ", [event, join_texts("; ", (working for _points, working in worth.values()))]),
        )
        lines = standing.lines + 1
        complete = lines == len(self.wild)
        winners = self._settle(totals).winners if complete else ()
        return SheetStanding(totals, complete, winners[0] if len(winners) == 1 else None, lines), counted

    def _score_side(self, side: str, hand: _WildHand, total: int, number: int) -> tuple[int, str]:
        """Return a side's points in a hand, and the calculation as text.

        `total` is the side's total before the hand. `number` is the number of the hand, starting at 0.

        >>> game = FortWorthGin(("Ann", "Bob"), FortWorthGin.defaults())
        >>> game._score_side("Ann", _WildHand("Ann", {"Bob": 34}), 120, 0)[1]
        'Ann closes with a total of 120: 20 off (Fort Worth C 5)'
        """
        if side == hand.by:
            off = _compute_closing_bonus(total)
            points, rule = -off, "C 5"
            words = lazy_text("%(side)s closes with a total of %(total)s: %(off)s off", side=side, total=total, off=off)
        else:
            points, rule = hand.counts[side], "C 4"
            words = lazy_text("%(side)s holds %(count)s", side=side, count=points)
        times, why, rule_of_factor = self._find_multiplier(number, hand.turn)
        worth = points * times
        if why:
            words, rule = f"{words}, {why}: {worth}", f"{rule}, {rule_of_factor}"
        return worth, lazy_text("%(words)s (Fort Worth %(rule)s)", words=words, rule=rule)

    def _find_multiplier(self, number: int, turn: PlayingCard | None) -> tuple[int, str, str]:
        """Return the multiplier for hand `number` (from 0), with its reason and rule (Fort Worth C 7, C 8)."""
        spade = self.spades and turn is not None and turn.is_spade
        if spade and turn is not None and turn.is_ace:
            return 3, lazy_text("tripled, the ace of spades turned"), "C 7"
        if self.kings_double and self.wild[number] == "K":
            return 2, lazy_text("doubled, kings wild"), "C 8"
        return (2, lazy_text("doubled, a spade turned"), "C 7") if spade else (1, "", "")

    def _settle(self, totals: Mapping[str, int]) -> _DamagesSettlement:
        return _settle_lowest_wins(totals, double_negative=self.double_negative, value_cents=self.value_cents)

    def make_tally(self, standing: SheetStanding, rows: Sequence[LineTally]) -> Tally:
        """Return the tally of the sheet. For a finished game, it includes the damages (the settlement)."""
        if not standing.complete:
            return super().make_tally(standing, rows)
        damages = self._settle(standing.totals)
        return replace(
            super().make_tally(standing, rows),
            totals=damages.totals,
            stakes_cents=damages.cents,
            variant_fields={"winners": list(damages.winners), "settlement_cents": dict(damages.cents)},
        )

    def iter_warnings(self, line: _WildHand, earlier: Sequence[_WildHand]) -> Iterator[LineWarning]:
        for side, count in line.counts.items():
            if count > MAX_HAND_POINTS:
                most = lazy_text(
                    "%(cards_dealt)s cards count %(most_held)s at most, Fort Worth C 4",
                    cards_dealt=CARDS_DEALT,
                    most_held=MAX_HAND_POINTS,
                )
                message = lazy_text(
                    "%(side)s can hardly hold %(count)s: %(most)s. Counts are recorded before any doubling.",
                    side=side,
                    count=count,
                    most=most,
                )
                yield LineWarning("count-too-high", message)
            if count == 0:
                yield LineWarning(
                    "holds-nothing",
                    lazy_text("%(side)s holds 0 and did not close. Who has no cards left has closed.", side=side),
                )
        if line.turn is not None and earlier and earlier[-1].turn == line.turn:
            message = lazy_text(
                "The hand before had the same turn card, the %(name)s. Is this hand recorded twice?",
                name=line.turn.name,
            )
            yield LineWarning("same-turn-card", message)

    def table_draw(self) -> TableDraw:
        """Return the draw for seats: the lowest card deals, and the next lowest sits to the dealer's left."""
        count = len(self.sides) or self.most_sides
        cards = (*_LOW_CARDS[: count - 1], _LOW_CARDS[-1])
        does = (lazy_text("deals first"), *(lazy_text("sits to the left of the one before") for _ in cards[1:]))
        roles = (
            lazy_text("deals first"),
            *(lazy_text("seat %(number)s", number=number) for number in range(2, count + 1)),
        )
        return TableDraw(
            rule=lazy_text("Fort Worth B 2"),
            instruction=lazy_text("Draw for deal and position."),
            name=lazy_text("the draw for deal and position"),
            words=lazy_text(
                "Low card deals, the second low card sits to the dealer's left, and so on. The deal goes left."
            ),
            places=tuple(map(TableDrawPosition, cards, does, roles)),
        )

    def line_fields(self) -> tuple[LineField, ...]:
        return (
            LineField(name="by", label=lazy_text("Closed by"), question=lazy_text("Who closed?"), kind=FieldKind.SIDE,
                      hint=lazy_text("Nobody: a stymie")),
            LineField(name="turn", label=lazy_text("Turn card"), question=lazy_text("Which card was turned up?"),
                kind=FieldKind.CARD,
                      hint=lazy_text("Rank and suit, like TH"), required=self.spades),
            LineField(name="counts", label=lazy_text("Points held"), question=lazy_text("What did the others hold?"),
                      kind=FieldKind.NUMBER_A_SIDE, required=True,
                      hint=lazy_text("Wild cards 20; not doubled; none for the one who closed")),
        )  # fmt: skip

    def make_rule_tables(self) -> tuple[RuleTable, ...]:
        ranks = enumerate(self.wild, start=1)
        wild = tuple(
            (lazy_text("Hand %(hand)s", hand=hand), lazy_text("%(rank)s wild", rank=_format_rank(rank)))
            for hand, rank in ranks
        )
        return (RuleTable(lazy_text("Wild rank of each hand"), wild),)

    def name_line(self, number: int) -> str:
        """Return the hand's name with its wild rank, as on the printed sheet: “hand with 3s wild”."""
        wild = self._describe_wild_rank(number)
        return lazy_text("hand with %(wild)s", wild=wild) if wild else super().name_line(number)

    def label_line(self, number: int) -> str:
        return self._describe_wild_rank(number) or super().label_line(number)

    def _describe_wild_rank(self, number: int) -> str:
        """Return the wild rank of a hand as text, or an empty string if there is no such hand."""
        ranks = self.wild[number - 1 : number] if number > 0 else ""
        return lazy_text("%(ranks)s wild", ranks=_RANK_NAMES.get(ranks, f"{ranks}s")) if ranks else ""

    def columns(self) -> tuple[SheetColumn, ...]:
        def dealer(row: SheetRow) -> str:
            return self.sides[(row.number - 1) % len(self.sides)] if self.order_is_known else ""

        hand = (
            SheetColumn(key="dealer", heading=lazy_text("Dealer"), text=dealer, weight=2),
            SheetColumn(
                key="wild", heading=lazy_text("Wild"), text=lambda row: _format_rank(self.wild[row.number - 1])
            ),
            SheetColumn(key="turn", heading=lazy_text("Turn"), text=lambda row: format_up_card(row.line.turn)),
            SheetColumn(key="outcome", heading=lazy_text("Outcome"), text=_describe_outcome, weight=2),
        )
        return (*hand, *(column for side in self.sides for column in make_side_columns(side)))

    # The printed sheet has a row for each wild rank, the points and score of each player, and the damages. Before the
    # players have drawn for their seats, no dealer is named.

    def blocks(
        self, rows: Sequence[SheetRow], counted: Tally | None = None, *, blank: int = 0
    ) -> tuple[SheetBlock, ...]:
        """Return the two blocks of a score sheet: the rule variations, and the scores of all hands.

        The variations in play have a check mark. Hands that have not been recorded yet are blank.
        """
        written = blank > 0
        damages = self._settle(rows[-1].line_tally.running) if counted is not None and counted.complete else None
        lead = 3 if self.spades else 2
        headings = [Heading(lazy_text("Dealer"), "dealer", weight=2.0), Heading(lazy_text("Wild"), "wild")]
        if self.spades:
            headings.append(Heading(lazy_text("Turn"), "turn"))
        for _side in self.sides:
            headings.append(Heading(lazy_text("POINTS"), "points", numeric=True))
            headings.append(Heading(lazy_text("SCORE"), "running", numeric=True))
        block = SheetBlock(
            headings=tuple(headings),
            groups=(HeadingGroup("", lead), *(HeadingGroup(side, 2) for side in self.sides)),
            lines=tuple(
                self._lay_out_line(number, rows[number] if number < len(rows) else None, damages, written)
                for number in range(len(self.wild))
            ),
            footer=tuple(self._lay_out_foot(damages, lead, written)),
        )
        return self._lay_out_marks(), block

    def _lay_out_marks(self) -> SheetBlock:
        """Return the list of variations as a block. Variations in play have a check mark (Fort Worth C 6)."""
        marked = {
            lazy_text("Double Negative"): self.double_negative,
            lazy_text("Spades"): self.spades,
            lazy_text("Kings Double"): self.kings_double,
        }
        cells = [Cell(text=_format_money(self.value_cents), strong=True)]
        for is_played in marked.values():
            cells.append(Cell(text=lazy_text("played") if is_played else lazy_text("not played"), strong=is_played))
        headings = tuple(Heading(text) for text in (lazy_text("Value"), *marked))
        return SheetBlock(title=lazy_text("FORT WORTH GIN"), headings=headings, lines=(LineCells(tuple(cells)),))

    def _lay_out_line(
        self, number: int, row: SheetRow | None, damages: _DamagesSettlement | None, written: bool
    ) -> LineCells:
        dealer = Cell(text=self.sides[number % len(self.sides)]) if self.order_is_known else Cell(write=written)
        cells = [dealer, Cell(text=_format_rank(self.wild[number]))]
        if self.spades:
            cells.append(Cell(write=written) if row is None else Cell(text=format_up_card(row.line.turn)))
        last = number == len(self.wild) - 1
        for side in self.sides:
            if row is None:
                cells += [Cell(numeric=True, write=written)] * 2
                continue
            points, total = row.line_tally.points[side], row.line_tally.running[side]
            why = self._score_side(side, row.line, total - points, number)[1]
            won = last and damages is not None and side in damages.winners
            closed = CellMark.BOX if row.line.by == side else CellMark.NONE
            cells.append(Cell(text=str(points), numeric=True, mark=closed, why=why))
            cells.append(Cell(text=str(total), numeric=True, strong=True, mark=CellMark.WON if won else CellMark.NONE))
        return LineCells(tuple(cells), None if row is None else row.number)

    def _lay_out_foot(self, damages: _DamagesSettlement | None, lead: int, written: bool) -> Iterator[LineCells]:
        """Yield the footer lines with the damages: what each loser pays and each winner receives."""

        def line(label: str, step: str, amounts: Mapping[str, str], won: Sequence[str] = ()) -> LineCells:
            cells = [Cell(text=label, span=lead, strong=True)]
            for side in self.sides:
                amount, mark = amounts.get(side, ""), CellMark.WON if side in won else CellMark.NONE
                cells.append(Cell(text=step))
                cells.append(Cell(text=amount, numeric=True, strong=True, mark=mark, write=written and not amount))
            return LineCells(tuple(cells))

        doubled = ""
        nothing: dict[str, str] = {}
        totals = low = difference = paid = nothing
        if damages is not None:
            doubled = lazy_text("Times 2") if damages.doubled else lazy_text("Not doubled")
            totals = {side: str(total) for side, total in damages.totals.items()}
            low = dict.fromkeys(damages.totals, str(damages.low))
            difference = {side: str(total - damages.low) for side, total in damages.totals.items()}
            paid = {
                side: lazy_text("wins %(money)s", money=_format_money(cents)) if cents > 0 else _format_money(-cents)
                for side, cents in damages.cents.items()
            }
        if self.double_negative:
            yield line(lazy_text("Double Negative"), doubled, totals)
        yield line(lazy_text("Low Score"), lazy_text("Minus"), low)
        yield line(lazy_text("Difference"), lazy_text("Equals"), difference)
        yield line(lazy_text("Value"), lazy_text("Times"), dict.fromkeys(self.sides, _format_money(self.value_cents)))
        yield line(lazy_text("Damages"), lazy_text("Equals"), paid, damages.winners if damages else ())


def _format_rank(rank: str) -> str:
    return "10" if rank == "T" else rank


def _describe_outcome(row: SheetRow) -> str:
    by = row.line.by
    return "stymie" if by is None else lazy_text("%(by)s closes", by=by)
