"""Two sides, one hand a line, the first at the target wins: what `gra-singles`, `standard` and `oklahoma` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scoring.rules.doubts import doubt_hand
from scoring.rules.hand_reader import HandReader, write_hand
from scoring.rules.hands import (
    FINISHES,
    OUTCOME_WORDS,
    Finished,
    Hand,
    Outcome,
    Pointed,
    judge,
    most_points,
)
from scoring.rules.options import Options
from scoring.rules.terms import GinTerms
from scoring.rules.variant import (
    Column,
    Doubt,
    FieldKind,
    LineField,
    LineTally,
    Row,
    Standing,
    Tally,
    Variant,
)
from tournament.cases import Fields


@dataclass(frozen=True, slots=True)
class GinStanding(Standing):
    """Besides the totals, the hands each side has won: the boxes. A hand worth no points is nobody's."""

    boxes: Mapping[str, int] = field(default_factory=dict)


class TwoSidedGin(Variant[Hand, GinStanding]):
    """The base of the two-sided variants: each states its title, rulebook and options."""

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        self.terms = GinTerms.of(options)
        self.reader = HandReader(sides, self.terms, self.rulebook)

    def read_line(self, fields: Fields) -> Hand | None:
        return self.reader.read(fields)

    def write_line(self, line: Hand) -> dict[str, Any]:
        return write_hand(line)

    def start(self) -> GinStanding:
        none = dict.fromkeys(self.sides, 0)
        return GinStanding(totals=none, boxes=none)

    def count(self, standing: GinStanding, line: Hand) -> tuple[GinStanding, LineTally]:
        """A hand's points go to one side at most; whoever is then at the target has won (CONTRACTS.md, target)."""
        verdict = judge(line, self.terms, self.rulebook)
        points = {side: verdict.points if side == verdict.to else 0 for side in self.sides}
        totals = {side: standing.totals[side] + points[side] for side in self.sides}
        boxes = {side: standing.boxes[side] + (side == verdict.to) for side in self.sides}
        winner = next((side for side in self.sides if totals[side] >= self.terms.target), None)
        after = replace(standing, totals=totals, boxes=boxes, winner=winner, complete=winner is not None)
        counted = LineTally(points=points, running=totals, event=verdict.event, explanation=verdict.explanation)
        return after, counted

    def close(self, standing: GinStanding, rows: Sequence[LineTally]) -> Tally:
        settlement = settle(standing, self.terms) if self.terms.settles else None
        return replace(super().close(standing, rows), settlement=settlement)

    def doubts(self, line: Hand, earlier: Sequence[Hand]) -> tuple[Doubt, ...]:
        return tuple(doubt_hand(line, earlier, self.terms, self.rulebook))

    def points_line(self, side: str, points: int) -> Hand:
        return Pointed(to=side, points=points)

    def most_points(self) -> int:
        return most_points(self.terms, None)

    def line_fields(self) -> tuple[LineField, ...]:
        finishes = tuple(str(outcome) for outcome in self._outcomes() if outcome in FINISHES)
        points = (str(Outcome.POINTS),)
        return (
            LineField(name="up", label="Up card", kind=FieldKind.CARD, hint="Rank and suit, like TH",
                      required=self.terms.knock is None),
            LineField(name="outcome", label="How it ended", kind=FieldKind.CHOICE, required=True,
                      choices=tuple((str(o), OUTCOME_WORDS[o]) for o in self._outcomes())),
            LineField(name="by", label="By", kind=FieldKind.SIDE, required=True, outcomes=finishes),
            LineField(name="counts", label="Counts", kind=FieldKind.NUMBER_A_SIDE, required=True,
                      hint="Unmatched points after lay-offs", outcomes=finishes),
            LineField(name="missing", label="Cards missing", kind=FieldKind.NUMBER_A_SIDE, outcomes=finishes),
            LineField(name="extra", label="Cards too many", kind=FieldKind.CARDS_A_SIDE, outcomes=finishes),
            LineField(name="to", label="Points to", kind=FieldKind.SIDE, outcomes=points),
            LineField(name="points", label="Points", kind=FieldKind.NUMBER, required=True, outcomes=points),
            LineField(name="dealer", label="Dealer", kind=FieldKind.SIDE),
        )  # fmt: skip

    def _outcomes(self) -> tuple[Outcome, ...]:
        return tuple(o for o in Outcome if o is not Outcome.BIG_GIN or self.terms.plays_big_gin)

    def columns(self) -> tuple[Column, ...]:
        hand = (
            Column(key="hand", heading="Hand", text=lambda row: str(row.number), numeric=True),
            Column(key="up", heading="Up card", text=_up_card),
            Column(key="outcome", heading="Outcome", text=_outcome),
        )
        each = (column for side in self.sides for column in _side_columns(side))
        return (*hand, *each)


def settle(standing: GinStanding, terms: GinTerms) -> dict[str, int] | None:
    """What a complete game pays: the winner's total doubled in a shut-out, boxes, the bonus for the game.

    Only the total doubles, not the bonuses (CONTRACTS.md, settlement). None while the game is open.
    """
    winner = standing.winner
    if winner is None:
        return None
    settlement = {side: total + terms.box_bonus * standing.boxes[side] for side, total in standing.totals.items()}
    shut_out = all(total == 0 for side, total in standing.totals.items() if side != winner)
    if terms.shutout_doubles and shut_out:
        settlement[winner] += standing.totals[winner]
    settlement[winner] += terms.game_bonus
    return settlement


def _side_columns(side: str) -> tuple[Column, Column]:
    return (
        Column(key="points", heading=side, side=side, numeric=True, text=lambda row: _points(row, side)),
        Column(
            key="running",
            heading=f"{side}, total",
            side=side,
            numeric=True,
            text=lambda row: str(row.counted.running[side]),
        ),
    )


def _points(row: Row, side: str) -> str:
    points = row.counted.points[side]
    return str(points) if points else ""


def _up_card(row: Row) -> str:
    hand: Hand = row.line
    return "" if hand.up is None else hand.up.symbol


def _outcome(row: Row) -> str:
    """“undercut, 8 against 8”: the event, and what was counted."""
    hand: Hand = row.line
    if not isinstance(hand, Finished):
        return OUTCOME_WORDS[hand.outcome]
    if hand.outcome is Outcome.KNOCK:
        return f"{row.counted.event}, {hand.own_count} against {hand.adjusted_count}"
    return f"{OUTCOME_WORDS[hand.outcome]}, {hand.adjusted_count}"
