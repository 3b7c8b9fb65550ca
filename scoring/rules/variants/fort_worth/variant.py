"""Fort Worth Gin: two to five players, a wild rank in each hand, and the lowest total wins.

Source: Fort Worth Gin (John Greer, 1997), cited by its paragraphs, “C 5”; CONTRACTS.md, tally, fort-worth.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from scoring.rules.book.layout import Block
from scoring.rules.book.options import NamedValue, Numbers, Option, Options
from scoring.rules.book.rulebook import Particular, Rulebook
from scoring.rules.hand.cards import read_card
from scoring.rules.hand.terms import MOST_POINTS
from scoring.rules.variants.fort_worth.damages import Damages, settle_low
from scoring.rules.variants.fort_worth.wild_hands import (
    CARDS_DEALT,
    MOST_HELD,
    WildHand,
    WildLine,
    WildTerms,
    judge_wild_hand,
)
from scoring.rules.variants.fort_worth.wild_sheet import WildSheet, written_rank
from scoring.rules.variants.gin.two_sided import side_columns, up_card_text
from scoring.rules.variants.side_reader import SideReader
from scoring.rules.variants.table_draw import DrawnPlace, TableDraw
from scoring.rules.variants.variant import (
    Column,
    Doubt,
    FieldKind,
    LineField,
    LineTally,
    Row,
    SheetStanding,
    Tally,
    Variant,
)
from tournament.cases import Fields, join, shortened
from tournament.said import joined, worded

RANK_NAMES: Final[Mapping[str, str]] = {"A": "aces", "T": "10s", "J": "jacks", "Q": "queens", "K": "kings"}
"""The names for the cards of a rank. Other ranks are called like “3s”."""

_LOW_CARDS: Final = (
    worded("Lowest card"),
    worded("Second lowest card"),
    worded("Third lowest card"),
    worded("Fourth lowest card"),
    worded("Highest card"),
)
SUMMARY: Final = (
    worded(
        "Two to five play, each on their own; the lowest total wins. Seven cards each; the wild rank "
        "goes from aces in the first hand to kings in the last."
    ),
    worded(
        "A hand ends when a player closes: all their cards are in melds and they discard the last "
        "one. After two shuffles of the discard pile without that it is a stymie."
    ),
    worded("The others count what they hold: wild cards 20, court cards 10, aces 1, the rest their number."),
    worded(
        "The player who closes takes points off: ten while their total is under 100, 20 from 100, 30 "
        "from 200, and so on."
    ),
    worded(
        "Spades, where marked: the hand doubles, points off included, when a spade is turned, and "
        "triples for the ace. Kings double, where marked: the last hand doubles; with spades it is "
        "still only doubled, but triples for the ace."
    ),
    worded("Double negative, where marked: all totals double when the winner's is under zero."),
    worded(
        "Each loser pays the value of a point for every point between their total and the winner's; "
        "winners who tie split it. A variation exists only where it is marked on the sheet before "
        "play."
    ),
)


@dataclass(frozen=True, slots=True)
class FortWorthStanding(SheetStanding):
    hands: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FortWorthTally(Tally):
    """The totals, and the damages of a complete game, or None while it is open."""

    damages: Damages | None = None

    @property
    def stakes_cents(self) -> Mapping[str, int] | None:
        return self.damages.cents if self.damages is not None else None

    def as_json(self) -> dict[str, Any]:
        answer = super(FortWorthTally, self).as_json()
        if self.damages is not None:
            answer |= {"winners": list(self.damages.winners), "settlement_cents": dict(self.damages.cents)}
        return answer


def _marked(name: str) -> tuple[NamedValue, ...]:
    return NamedValue(False, worded("not played")), NamedValue(True, worded("played"), name)


class FortWorth(Variant[WildHand, FortWorthStanding]):
    name = "fort-worth"
    title = worded("Fort Worth Gin")
    about = worded("Two to five players, each on their own, with a wild rank a hand; the lowest total wins.")
    fewest_sides = 2
    most_sides = 5
    low_wins = True
    signers = worded("Every player signs: each is answerable for their own score (Fort Worth C 3).")
    rulebook = Rulebook(worded("Fort Worth Gin, John Greer, 1997"), summary=SUMMARY)
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            name="length",
            label=worded("Length of the game"),
            meaning=worded("How many hands are played, and which rank is wild in each."),
            default="full",
            rule=worded("Fort Worth A 5"),
            named=(
                NamedValue("full", worded("13 hands, aces to kings wild"), worded("13 hands, aces to kings wild")),
                NamedValue(
                    "short",
                    worded("seven hands, odd numbers wild: A 3 5 7 9 J K"),
                    worded("Seven hands, odd numbers wild"),
                ),
                NamedValue(
                    "very-short",
                    worded("six hands, even numbers wild: 2 4 6 8 10 Q"),
                    worded("Six hands, even numbers wild"),
                ),
            ),
        ),
        Option(
            name="spades",
            label=worded("Spades"),
            meaning=worded("A spade turned doubles the hand, points off included; the ace of spades triples it."),
            default=False,
            rule=worded("Fort Worth C 7"),
            named=_marked(worded("Spades")),
        ),
        Option(
            name="kings_double",
            label=worded("Kings Double"),
            meaning=worded(
                "The hand with kings wild doubles; with spades it is only doubled, but the ace of spades triples."
            ),
            default=False,
            rule=worded("Fort Worth C 8"),
            named=_marked(worded("Kings Double")),
        ),
        Option(
            name="double_negative",
            label=worded("Double Negative"),
            meaning=worded(
                "All totals double when the winner's is under zero. Not recommended in a short game or with "
                "fewer than four players."
            ),
            default=False,
            rule=worded("Fort Worth C 6"),
            named=_marked(worded("Double Negative")),
        ),
        Option(
            name="value_cents",
            label=worded("Value of a point, in cents"),
            brief=worded("A point is {} cents"),
            meaning=worded("What each loser pays for every point between their total and the winner's."),
            default=50,
            rule=worded("Fort Worth B 7"),
            numbers=Numbers(0, MOST_POINTS),
        ),
    )

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        self.terms = WildTerms.of(options)
        self.reader = SideReader(sides)

    def read_line(self, fields: Fields) -> WildHand | None:
        before = len(fields.problems.found)
        by = fields.read("by", self.reader.read_side, None)
        turn = fields.read("turn", read_card, None)
        counts = fields.read("counts", self.reader.numbers(Numbers(0, MOST_POINTS), each=False)) or {}
        if self.terms.spades and "turn" not in fields:
            message = worded(
                "“turn” is missing: with spades the card turned up decides what the hand counts, Fort Worth C 7."
            )
            fields.problems.add("missing-field", fields.at("turn"), message)
        if by is not None or "by" not in fields:
            self._refuse_counts(fields, by)
        fields.finish()
        return WildHand(by, counts, turn) if len(fields.problems.found) == before else None

    def _refuse_counts(self, fields: Fields, by: str | None) -> None:
        """Refuse counts unless everybody but the player who closed has one. `by` is None if nobody closed."""
        given = fields.data.get("counts")
        if not isinstance(given, dict):
            return
        if by is not None and by in given:
            message = worded(
                "%(by)s closed and holds no cards: they take points off instead, Fort Worth C 5.", by=shortened(by)
            )
            fields.problems.bad(join(fields.at("counts"), shortened(by)), message)
        for name in (shortened(side) for side in self.sides if side != by and side not in given):
            message = worded("The count of %(name)s, who did not close, is missing.", name=name)
            fields.problems.add("missing-field", join(fields.at("counts"), name), message)

    def write_line(self, line: WildHand) -> dict[str, Any]:
        by = {} if line.by is None else {"by": line.by}
        turn = {} if line.turn is None else {"turn": str(line.turn)}
        return {**by, **turn, "counts": dict(line.counts)}

    def start(self) -> FortWorthStanding:
        return FortWorthStanding(totals=dict.fromkeys(self.sides, 0))

    def count(self, standing: FortWorthStanding, line: WildHand) -> tuple[FortWorthStanding, LineTally]:
        """Count a hand. Running totals are never doubled, because double negative applies only at the end."""
        worth = judge_wild_hand(line, standing.totals, self.terms.factor(standing.hands, line.turn))
        totals = {side: standing.totals[side] + worth[side].points for side in self.sides}
        event = "stymie" if line.by is None else "close"
        workings = {side: each.working for side, each in worth.items()}
        counted = WildLine(
            points={side: each.points for side, each in worth.items()},
            running=totals,
            event=event,
            explanation=joined(": ", [event, joined("; ", workings.values())]),
            workings=workings,
        )
        hands = standing.hands + 1
        after = replace(standing, totals=totals, hands=hands, complete=hands == len(self.terms.wild))
        return replace(after, winner=self._only_winner(after)), counted

    def _only_winner(self, standing: FortWorthStanding) -> str | None:
        winners = self._settled(standing).winners if standing.complete else ()
        return winners[0] if len(winners) == 1 else None

    def _settled(self, standing: FortWorthStanding) -> Damages:
        terms = self.terms
        return settle_low(standing.totals, double_negative=terms.double_negative, value_cents=terms.value_cents)

    def close(self, standing: FortWorthStanding, rows: Sequence[LineTally]) -> FortWorthTally:
        damages = self._settled(standing) if standing.complete else None
        return FortWorthTally(
            complete=standing.complete,
            winner=standing.winner,
            totals=damages.totals if damages else standing.totals,
            lines=tuple(rows),
            damages=damages,
        )

    def doubts(self, line: WildHand, earlier: Sequence[WildHand]) -> Iterator[Doubt]:
        for side, count in line.counts.items():
            if count > MOST_HELD:
                most = worded(
                    "%(cards_dealt)s cards count %(most_held)s at most, Fort Worth C 4",
                    cards_dealt=CARDS_DEALT,
                    most_held=MOST_HELD,
                )
                said = worded(
                    "%(side)s can hardly hold %(count)s: %(most)s. Counts are recorded before any doubling.",
                    side=side,
                    count=count,
                    most=most,
                )
                yield Doubt("count-too-high", said)
            if count == 0:
                yield Doubt(
                    "holds-nothing",
                    worded("%(side)s holds 0 and did not close. Who has no cards left has closed.", side=side),
                )
        if line.turn is not None and earlier and earlier[-1].turn == line.turn:
            message = worded(
                "The hand before had the same turn card, the %(name)s. Is this hand recorded twice?",
                name=line.turn.name,
            )
            yield Doubt("same-turn-card", message)

    def table_draw(self) -> TableDraw:
        """Return the draw for seats: the lowest card deals, and the next lowest sits to the left of that player."""
        count = len(self.sides) or self.most_sides
        cards = (*_LOW_CARDS[: count - 1], _LOW_CARDS[-1])
        does = (worded("deals first"), *(worded("sits to the left of the one before") for _ in cards[1:]))
        roles = (worded("deals first"), *(worded("seat %(number)s", number=number) for number in range(2, count + 1)))
        return TableDraw(
            rule=worded("Fort Worth B 2"),
            ask=worded("Draw for deal and position."),
            name=worded("the draw for deal and position"),
            words=worded(
                "Low card deals, the second low card sits to the dealer's left, and so on. The deal goes left."
            ),
            places=tuple(map(DrawnPlace, cards, does, roles)),
        )

    def line_fields(self) -> tuple[LineField, ...]:
        return (
            LineField(name="by", label=worded("Closed by"), question=worded("Who closed?"), kind=FieldKind.SIDE,
                      hint=worded("Nobody: a stymie")),
            LineField(name="turn", label=worded("Turn card"), question=worded("Which card was turned up?"),
                kind=FieldKind.CARD,
                      hint=worded("Rank and suit, like TH"), required=self.terms.spades),
            LineField(name="counts", label=worded("Points held"), question=worded("What did the others hold?"),
                      kind=FieldKind.NUMBER_A_SIDE, required=True,
                      hint=worded("Wild cards 20; not doubled; none for the one who closed")),
        )  # fmt: skip

    def particulars(self) -> tuple[Particular, ...]:
        ranks = enumerate(self.terms.wild, start=1)
        wild = tuple(
            (worded("Hand %(hand)s", hand=hand), worded("%(rank)s wild", rank=written_rank(rank)))
            for hand, rank in ranks
        )
        return (Particular(worded("Wild rank of each hand"), wild),)

    def name_line(self, number: int) -> str:
        """Return the name of a line by its wild rank, as in its row on the printed sheet: “hand with 3s wild”."""
        wild = self._wild(number)
        return worded("hand with %(wild)s", wild=wild) if wild else super().name_line(number)

    def mark_line(self, number: int) -> str:
        return self._wild(number) or super().mark_line(number)

    def _wild(self, number: int) -> str:
        """Return the wild rank of a hand in words, or an empty text if there is no such hand."""
        ranks = self.terms.wild[number - 1 : number] if number > 0 else ""
        return worded("%(ranks)s wild", ranks=RANK_NAMES.get(ranks, f"{ranks}s")) if ranks else ""

    def columns(self) -> tuple[Column, ...]:
        hand = (
            Column(key="dealer", heading=worded("Dealer"), text=lambda row: self._dealer(row.number), weight=2),
            Column(key="wild", heading=worded("Wild"), text=lambda row: written_rank(self.terms.wild[row.number - 1])),
            Column(key="turn", heading=worded("Turn"), text=lambda row: up_card_text(row.line.turn)),
            Column(key="outcome", heading=worded("Outcome"), text=_outcome, weight=2),
        )
        return (*hand, *(column for side in self.sides for column in side_columns(side)))

    def blocks(self, rows: Sequence[Row], counted: Tally | None = None, *, blank: int = 0) -> tuple[Block, ...]:
        damages = counted.damages if isinstance(counted, FortWorthTally) else None
        sheet = WildSheet(self.sides, self.terms, written=blank > 0, order_is_known=self.order_is_known)
        return sheet.blocks(rows, damages)

    def _dealer(self, number: int) -> str:
        return self.sides[(number - 1) % len(self.sides)] if self.order_is_known else ""


def _outcome(row: Row) -> str:
    by = row.line.by
    return "stymie" if by is None else worded("%(by)s closes", by=by)
