"""The common base of variants with two sides and one gin hand per line.

`GinHands` reads, writes and doubts such lines. `TwoSidedGin` adds them up to one game, and the first side at the target
wins.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scoring.rules.book.layout import Block
from scoring.rules.book.options import Options
from scoring.rules.book.rulebook import Topic
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hand_reader import HandReader, write_hand
from scoring.rules.hand.hands import (
    FINISHES,
    OUTCOME_VERBS,
    OUTCOME_WORDS,
    Finished,
    Hand,
    Outcome,
    Pointed,
    judge,
    most_points,
)
from scoring.rules.hand.knocking import KnockRule, Showdown
from scoring.rules.hand.terms import GinTerms
from scoring.rules.variants.gin.doubts import doubt_hand
from scoring.rules.variants.gin.settlement import GinStanding, foot_of_game, settle
from scoring.rules.variants.table_draw import LOW_DEALS_AND_KEEPS, TableDraw
from scoring.rules.variants.totals import TOTALS, TotalsLine
from scoring.rules.variants.variant import (
    Column,
    Doubt,
    FieldKind,
    LineField,
    LineTally,
    Row,
    StandingT,
    Tally,
    Variant,
    total_column,
)
from tournament.cases import Fields
from tournament.said import worded


class GinHands(Variant[Hand, StandingT]):
    """The base of the variants whose line is one two-sided gin hand.

    Their sheets add the hands up in different ways.
    """

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        self.terms = GinTerms.of(options)
        self.reader = HandReader(sides, self.terms, self.rulebook)

    def read_line(self, fields: Fields) -> Hand | None:
        return self.reader.read(fields)

    def write_line(self, line: Hand) -> dict[str, Any]:
        return write_hand(line)

    def doubts(self, line: Hand, earlier: Sequence[Hand]) -> Iterator[Doubt]:
        return doubt_hand(line, earlier, self.terms, self.rulebook)

    def most_points(self) -> int:
        return most_points(self.terms, None)

    def line_fields(self) -> tuple[LineField, ...]:
        return (up_card_field(self.terms), *hand_fields(self.terms))

    def table_draw(self) -> TableDraw:
        return LOW_DEALS_AND_KEEPS

    def knock_rule(self, up: PlayingCard | None) -> KnockRule:
        return KnockRule.under(up, self.terms, self.aces)

    def showdown_line(self, shown: Showdown) -> dict[str, Any]:
        return {**written_up(shown.up), **written_showdown(shown)}


class TwoSidedGin(GinHands[GinStanding]):
    """The base of the variants with one game to a target. Each declares its title, rulebook and options."""

    def start(self) -> GinStanding:
        none = dict.fromkeys(self.sides, 0)
        return GinStanding(totals=none, boxes=none)

    def count(self, standing: GinStanding, line: Hand) -> tuple[GinStanding, LineTally]:
        """Count a hand, whose points go to at most one side.

        A side that is then at the target has won (CONTRACTS.md, target).
        """
        verdict = judge(line, self.terms, self.rulebook)
        points = {side: verdict.points if side == verdict.to else 0 for side in self.sides}
        totals = {side: standing.totals[side] + points[side] for side in self.sides}
        boxes = {side: standing.boxes[side] + (side == verdict.to) for side in self.sides}
        winner = next((side for side in self.sides if totals[side] >= self.terms.target), None)
        after = replace(standing, totals=totals, boxes=boxes, winner=winner, complete=winner is not None)
        counted = LineTally(points=points, running=totals, event=verdict.event, explanation=verdict.explanation)
        return after, counted

    def close(self, standing: GinStanding, rows: Sequence[LineTally]) -> Tally:
        """Return the tally with its settlement.

        A card entered by its totals has none, because the hands won are unknown.
        """
        known = self.terms.settles and not any(row.event == TOTALS for row in rows)
        settlement = settle(standing, self.terms) if known else None
        return replace(super().close(standing, rows), settlement=settlement)

    def points_line(self, side: str, points: int) -> Hand:
        return Pointed(to=side, points=points)

    def take_totals(self, standing: GinStanding, line: TotalsLine) -> GinStanding:
        """Return the standing with these totals. The boxes remain unknown, because only the paper has the hands."""
        winner = next((side for side in self.sides if line.totals[side] >= self.terms.target), None)
        return replace(standing, totals=dict(line.totals), winner=winner, complete=winner is not None)

    def columns(self) -> tuple[Column, ...]:
        return (*hand_columns(), *(column for side in self.sides for column in side_columns(side)))

    def blocks(self, rows: Sequence[Row], counted: Tally | None = None, *, blank: int = 0) -> tuple[Block, ...]:
        """Return the sheet, with the parts of a settlement at its foot if the rule sheet has one."""
        (block,) = super().blocks(rows, counted, blank=blank)
        if not self.terms.settles or any(row.counted.event == TOTALS for row in rows):
            return (block,)
        standing = self._standing_of(rows, counted)
        return (replace(block, foot=foot_of_game(standing, self.terms, written=counted is None)),)

    def _standing_of(self, rows: Sequence[Row], counted: Tally | None) -> GinStanding:
        boxes = {side: sum(1 for row in rows if row.counted.points[side]) for side in self.sides}
        totals = rows[-1].counted.running if rows else dict.fromkeys(self.sides, 0)
        winner = counted.winner if counted else None
        return GinStanding(totals=totals, boxes=boxes, winner=winner, complete=winner is not None)


GRA_TOPICS: Final[Mapping[Topic, str]] = {
    Topic.KNOCK_CARD: worded("GRA singles rule 4"),
    Topic.ACE: worded("GRA singles rule 4"),
    Topic.UP_CARD_RECORDED: worded("GRA singles rule 4"),
    Topic.KNOCK: worded("GRA singles rule 6"),
    Topic.GIN: worded("GRA singles rule 6"),
    Topic.FIFTIETH_CARD: worded("GRA singles rule 6"),
    Topic.WRONG_COUNT: worded("GRA singles rule 8"),
    Topic.IMPROPER_KNOCK: worded("GRA singles rule 9"),
}
GRA_OPTIONS: Final[Mapping[str, str]] = {
    "knock": worded("GRA singles rule 4"),
    "ace": worded("GRA singles rule 4"),
    "gin_bonus": worded("GRA singles rule 6"),
    "undercut_bonus": worded("GRA singles rule 6"),
}
"""The rules of 2012 that fix each option, also for the boards of a partnership."""


def written_up(card: PlayingCard | None) -> dict[str, str]:
    return {} if card is None else {"up": str(card)}


def written_showdown(shown: Showdown) -> dict[str, Any]:
    """Return two hands laid down as a line, or as a board of a line, without the up card."""
    counts = {shown.by: shown.own_count, shown.against: shown.other_count}
    missing = {"missing": {shown.against: shown.missing}} if shown.missing else {}
    return {"outcome": str(shown.outcome), "by": shown.by, "counts": counts, **missing}


def up_card_field(terms: GinTerms) -> LineField:
    return LineField(
        name="up",
        label=worded("Up card"),
        kind=FieldKind.CARD,
        hint=worded("Rank and suit, like TH"),
        required=terms.knock is None,
    )


def hand_fields(terms: GinTerms) -> tuple[LineField, ...]:
    """Return the fields of a hand besides its up card."""
    outcomes = tuple(o for o in Outcome if o is not Outcome.BIG_GIN or terms.plays_big_gin)
    finishes = tuple(str(outcome) for outcome in outcomes if outcome in FINISHES)
    points = (str(Outcome.POINTS),)
    return (
        LineField(name="outcome", label=worded("How it ended"), question=worded("How did it end?"),
            kind=FieldKind.CHOICE,
                  required=True, choices=tuple((str(o), OUTCOME_WORDS[o]) for o in outcomes),
                  verbs=tuple((str(o), words) for o, words in OUTCOME_VERBS.items())),
        LineField(name="by", label=worded("By"), question=worded("Who ended it?"), kind=FieldKind.SIDE, required=True,
                  outcomes=finishes),
        LineField(name="counts", label=worded("Counts"), question=worded("Counts, after lay-offs"),
            kind=FieldKind.NUMBER_A_SIDE,
                  required=True,
                  hint=worded("Unmatched points after lay-offs"), outcomes=finishes,
                  zero_of="by", zero_with=(str(Outcome.GIN), str(Outcome.BIG_GIN))),
        LineField(name="missing", label=worded("Cards missing"), kind=FieldKind.NUMBER_A_SIDE, outcomes=finishes,
                  aside=True),
        LineField(name="extra", label=worded("Cards too many"), kind=FieldKind.CARDS_A_SIDE, outcomes=finishes,
            aside=True),
        LineField(name="to", label=worded("Points to"), kind=FieldKind.SIDE, outcomes=points),
        LineField(name="points", label=worded("Points"), kind=FieldKind.NUMBER, required=True, outcomes=points),
        LineField(name="dealer", label=worded("Dealer"), kind=FieldKind.SIDE, aside=True),
    )  # fmt: skip


def hand_columns() -> tuple[Column, Column, Column]:
    return (
        Column(key="hand", heading=worded("Hand"), text=lambda row: str(row.number), numeric=True),
        Column(key="up", heading=worded("Up card"), text=lambda row: up_card_text(row.line.up)),
        Column(key="outcome", heading=worded("Outcome"), text=lambda row: outcome_text(row.line, row.counted.event)),
    )


def side_columns(side: str) -> tuple[Column, Column]:
    """Return the columns for a side's points from the line, and its total after it."""
    points = Column(
        key="points", heading=side, side=side, numeric=True, text=lambda row: str(row.counted.points[side] or "")
    )
    return points, total_column(side, worded("%(side)s, total", side=side))


def up_card_text(card: PlayingCard | None) -> str:
    return "" if card is None else card.symbol


def outcome_text(hand: Hand, event: str) -> str:
    """Return the event with its counts, such as “undercut, 8 against 8”."""
    if not isinstance(hand, Finished):
        return OUTCOME_WORDS[hand.outcome]
    if hand.outcome is Outcome.KNOCK:
        return worded(
            "%(event)s, %(own_count)s against %(adjusted_count)s",
            event=event,
            own_count=hand.own_count,
            adjusted_count=hand.adjusted_count,
        )
    return worded("%(outcome)s, %(count)s", outcome=OUTCOME_WORDS[hand.outcome], count=hand.adjusted_count)
