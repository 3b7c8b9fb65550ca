"""Standard gin and Oklahoma gin, and the common base classes of all games that are played with gin hands."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from scoring.rules.book.layout import Cell, CellMark, LineCells, SheetBlock
from scoring.rules.book.options import Option, Options, Rulebook, RuleTopic, adapt_options_to_variant
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hand_reader import HandReader, hand_to_json
from scoring.rules.hand.hands import (
    ACE_COUNTS_ONE,
    FINISHING_OUTCOMES,
    GIN_OPTIONS,
    HAND_SIZE,
    OUTCOME_VERBS,
    OUTCOME_WORDS,
    SHUTOUT_DOUBLES_TOTAL,
    FinishedHand,
    Hand,
    HandOutcome,
    KnockRule,
    PointsOnlyHand,
    TypedGinOptions,
    compute_max_deadwood,
    score_hand,
)
from scoring.rules.variants.variant import (
    LOW_CARD_TABLE_DRAW,
    TOTALS_KEY,
    FieldKind,
    LineField,
    LineT,
    LineTally,
    LineWarning,
    SheetColumn,
    SheetRow,
    SheetStanding,
    StandingT,
    TableDraw,
    Tally,
    TotalsLine,
    Variant,
    make_line_number_column,
    make_total_column,
)
from tournament.cases import FieldReader
from tournament.lazy_text import lazy_plural, lazy_text


@dataclass(frozen=True, slots=True)
class GinStanding(SheetStanding):
    """The totals, and the number of boxes (hands won) for each side. A hand without points is not a box."""

    boxes: Mapping[str, int] = field(default_factory=dict)


MAX_MISCOUNTED_CARDS: Final = 2
"""The highest plausible number of missing or extra cards."""


class GinVariant(Variant[LineT, StandingT]):
    """The base class of games that are played with two-sided gin hands, one or several per line."""

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        self.terms = TypedGinOptions.from_options(options)

    def table_draw(self) -> TableDraw:
        return LOW_CARD_TABLE_DRAW

    def make_knock_rule(self, up: PlayingCard | None) -> KnockRule:
        return KnockRule.for_up_card(up, self.terms, self.aces)

    def compute_max_points(self) -> int:
        return self.terms.compute_max_points(None)

    def find_winner(self, totals: Mapping[str, int]) -> str | None:
        """Return the side that has reached the target, or None.

        Only one side scores in a hand, so two sides cannot reach the target with the same hand.
        """
        return next((side for side in self.sides if totals[side] >= self.terms.target), None)

    def add_totals(self, standing: StandingT, line: TotalsLine) -> StandingT:
        winner = self.find_winner(line.totals)
        return replace(standing, totals=dict(line.totals), winner=winner, complete=winner is not None)

    def make_up_card_field(self) -> LineField:
        return LineField(
            name="up",
            label=lazy_text("Up card"),
            kind=FieldKind.CARD,
            hint=lazy_text("Rank and suit, like TH"),
            required=self.terms.knock is None,
        )

    def list_hand_fields(self) -> tuple[LineField, ...]:
        """Return the fields of a hand, except the up card."""
        outcomes = tuple(o for o in HandOutcome if o is not HandOutcome.BIG_GIN or self.terms.plays_big_gin)
        finishes = tuple(str(outcome) for outcome in outcomes if outcome in FINISHING_OUTCOMES)
        points = (str(HandOutcome.POINTS),)
        return (
            LineField(name="outcome", label=lazy_text("How it ended"), question=lazy_text("How did it end?"),
                      kind=FieldKind.CHOICE, required=True, choices=tuple((str(o), OUTCOME_WORDS[o]) for o in outcomes),
                      verbs=tuple((str(o), words) for o, words in OUTCOME_VERBS.items())),
            LineField(name="by", label=lazy_text("By"), question=lazy_text("Who ended it?"), kind=FieldKind.SIDE,
                      required=True, outcomes=finishes),
            LineField(name="counts", label=lazy_text("Counts"), question=lazy_text("Counts, after lay-offs"),
                      kind=FieldKind.NUMBER_A_SIDE, required=True,
                      hint=lazy_text("Unmatched points after lay-offs"), outcomes=finishes,
                      zero_count_player_field="by",
                      zero_count_outcomes=(str(HandOutcome.GIN), str(HandOutcome.BIG_GIN))),
            LineField(name="missing", label=lazy_text("Cards missing"), kind=FieldKind.NUMBER_A_SIDE, outcomes=finishes,
                      is_collapsed=True),
            LineField(name="extra", label=lazy_text("Cards too many"), kind=FieldKind.CARDS_A_SIDE, outcomes=finishes,
                is_collapsed=True),
            LineField(name="to", label=lazy_text("Points to"), kind=FieldKind.SIDE, outcomes=points),
            LineField(name="points", label=lazy_text("Points"), kind=FieldKind.NUMBER, required=True, outcomes=points),
            LineField(name="dealer", label=lazy_text("Dealer"), kind=FieldKind.SIDE, is_collapsed=True),
        )  # fmt: skip

    def iter_hand_warnings(self, hand: Hand, earlier: Sequence[Hand]) -> Iterator[LineWarning]:
        """Yield warnings about a hand. `earlier` contains the hands above it on the sheet."""
        above = earlier[-1].up if earlier else None
        yield from self.iter_up_card_warnings(hand.up, above, played=hand.outcome is not HandOutcome.VOID)
        yield from self.iter_board_warnings(hand)

    def iter_up_card_warnings(
        self, up: PlayingCard | None, above: PlayingCard | None, *, played: bool
    ) -> Iterator[LineWarning]:
        """Yield warnings about an up card.

        `above` is the up card of the previous line. `played` is False if the hand was thrown in.
        """
        if up is None:
            if self.terms.needs_up_card and played:
                message = lazy_text("No up card is recorded; the scorer records it at once.")
                yield LineWarning("no-up-card", self.rulebook.add_citation(RuleTopic.UP_CARD_RECORDED, message))
        elif up == above:
            message = lazy_text(
                "The hand before had the same up card, the %(name)s. Is this hand recorded twice?", name=up.name
            )
            yield LineWarning("same-up-card", message)

    def iter_board_warnings(self, hand: Hand) -> Iterator[LineWarning]:
        """Yield all warnings about a hand except warnings about the up card."""
        if isinstance(hand, FinishedHand):
            yield from self._warn_of_unlikely_finish(hand)
        elif isinstance(hand, PointsOnlyHand):
            yield from self._warn_of_unlikely_points(hand)

    def _warn_of_unlikely_finish(self, hand: FinishedHand) -> Iterator[LineWarning]:
        held = HAND_SIZE - hand.missing
        if hand.other_count > compute_max_deadwood(held):
            yield LineWarning(
                "count-too-high",
                lazy_text(
                    "%(held)s cards cannot count %(other_count)s when they are laid out at their best: "
                    "%(held_2)s is the most.",
                    held=held,
                    other_count=hand.other_count,
                    held_2=compute_max_deadwood(held),
                ),
            )
        if hand.outcome is HandOutcome.KNOCK and hand.own_count == 0:
            yield LineWarning(
                "knock-with-nothing",
                self.rulebook.add_citation(RuleTopic.GIN, lazy_text("%(by)s knocked with 0. Was it gin?", by=hand.by)),
            )
        if hand.outcome is not HandOutcome.KNOCK and hand.other_count == 0:
            yield LineWarning(
                "gin-against-nothing",
                lazy_text("%(against)s had 0 against a gin. Is the count right?", against=hand.against),
            )
        yield from self._warn_of_wrong_card_count(hand)

    def _warn_of_wrong_card_count(self, hand: FinishedHand) -> Iterator[LineWarning]:
        if hand.missing and hand.extra:
            message = lazy_text("%(against)s cannot have both too few cards and too many.", against=hand.against)
            yield LineWarning("missing-and-extra", self.rulebook.add_citation(RuleTopic.WRONG_COUNT, message))
        wrong = max(hand.missing, len(hand.extra))
        if wrong > MAX_MISCOUNTED_CARDS:
            message = lazy_text(
                "Did %(against)s really play with %(wrong)s cards off?", against=hand.against, wrong=wrong
            )
            yield LineWarning("many-miscounted", self.rulebook.add_citation(RuleTopic.WRONG_COUNT, message))

    def _warn_of_unlikely_points(self, hand: PointsOnlyHand) -> Iterator[LineWarning]:
        most = self.terms.compute_max_points(hand.up)
        if hand.points > most:
            yield LineWarning(
                "points-too-high",
                lazy_text(
                    "One hand cannot bring %(points)s points here: %(most)s is the most.", points=hand.points, most=most
                ),
            )
        least = self.terms.gin_bonus * (2 if self.terms.is_doubled(hand.up) else 1)
        if 0 < hand.points < least and self.terms.requires_gin(hand.up):
            message = lazy_text(
                "Under an ace only a gin scores, %(least)s points or more; %(points)s are recorded.",
                least=least,
                points=hand.points,
            )
            yield LineWarning("points-under-ace", self.rulebook.add_citation(RuleTopic.ACE, message))


class OneHandPerLineGin(GinVariant[Hand, StandingT]):
    """The base class of games with one gin hand per line.

    It adds the settlement of boxes (hands won), game bonus and shutout.
    """

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        self.reader = HandReader(sides, self.terms, self.rulebook)

    def read_line(self, fields: FieldReader) -> Hand | None:
        return self.reader.read(fields)

    def write_line(self, line: Hand) -> dict[str, Any]:
        return hand_to_json(line)

    def make_showdown_line(self, hand: FinishedHand) -> dict[str, Any]:
        return hand_to_json(hand)

    def iter_warnings(self, line: Hand, earlier: Sequence[Hand]) -> Iterator[LineWarning]:
        return self.iter_hand_warnings(line, earlier)

    def line_fields(self) -> tuple[LineField, ...]:
        return (self.make_up_card_field(), *self.list_hand_fields())

    def list_hand_columns(self) -> tuple[SheetColumn, ...]:
        return (
            make_line_number_column(),
            SheetColumn(key="up", heading=lazy_text("Up card"), text=lambda row: format_up_card(row.line.up)),
            SheetColumn(
                key="outcome",
                heading=lazy_text("Outcome"),
                text=lambda row: format_outcome(row.line, row.line_tally.event),
            ),
        )

    def compute_settlement(self, standing: GinStanding) -> dict[str, int] | None:
        """Return what each side is paid for a finished game, or None while the game is open."""
        if standing.winner is None:
            return None
        bonuses = self.list_settlement_items(standing).values()
        return {side: total + sum(item[side] for item in bonuses) for side, total in standing.totals.items()}

    def list_settlement_items(self, standing: GinStanding) -> dict[str, dict[str, int]]:
        """Return each side's bonuses in the settlement, keyed by their labels on the sheet.

        While a game is open, all bonuses except the boxes are 0.
        """
        items = {}
        is_shutout = not any(total for side, total in standing.totals.items() if side != standing.winner)
        if self.terms.shutout_doubles:
            items[lazy_text("Shutout")] = {
                s: t if s == standing.winner and is_shutout else 0 for s, t in standing.totals.items()
            }
        if self.terms.box_bonus:
            items[lazy_text("Boxes, %(bonus)s each", bonus=self.terms.box_bonus)] = {
                s: self.terms.box_bonus * n for s, n in standing.boxes.items()
            }
        if self.terms.game_bonus:
            items[lazy_text("Game")] = {
                side: self.terms.game_bonus if side == standing.winner else 0 for side in standing.totals
            }
        return items


class TwoSidedGin(OneHandPerLineGin[GinStanding]):
    """The base class of gin games that end at a target. Subclasses declare a title, rulebook and options."""

    def make_initial_standing(self) -> GinStanding:
        none = dict.fromkeys(self.sides, 0)
        return GinStanding(totals=none, boxes=none)

    def score_line(self, standing: GinStanding, line: Hand) -> tuple[GinStanding, LineTally]:
        """Score a hand. The first side to reach the target wins (CONTRACTS.md, target)."""
        verdict = score_hand(line, self.terms, self.rulebook)
        points = {side: verdict.points if side == verdict.to else 0 for side in self.sides}
        totals = {side: standing.totals[side] + points[side] for side in self.sides}
        boxes = {side: standing.boxes[side] + (side == verdict.to) for side in self.sides}
        winner = self.find_winner(totals)
        after = replace(standing, totals=totals, boxes=boxes, winner=winner, complete=winner is not None)
        counted = LineTally(points=points, running=totals, event=verdict.event, explanation=verdict.explanation)
        return after, counted

    def make_tally(self, standing: GinStanding, rows: Sequence[LineTally]) -> Tally:
        """Return the tally with its settlement.

        A card with only totals has no settlement, because the number of hands that each side won is unknown.
        """
        known = self.terms.has_settlement and not any(row.event == TOTALS_KEY for row in rows)
        settlement = self.compute_settlement(standing) if known else None
        return replace(super().make_tally(standing, rows), settlement=settlement)

    def make_points_line(self, side: str, points: int) -> Hand:
        return PointsOnlyHand(to=side, points=points)

    def columns(self) -> tuple[SheetColumn, ...]:
        return (*self.list_hand_columns(), *(column for side in self.sides for column in make_side_columns(side)))

    def blocks(
        self, rows: Sequence[SheetRow], counted: Tally | None = None, *, blank: int = 0
    ) -> tuple[SheetBlock, ...]:
        """Return the sheet. The footer shows the parts of the settlement, if there is one."""
        (block,) = super().blocks(rows, counted, blank=blank)
        if not self.terms.has_settlement or any(row.line_tally.event == TOTALS_KEY for row in rows):
            return (block,)
        boxes = {side: sum(1 for row in rows if row.line_tally.points[side]) for side in self.sides}
        totals = rows[-1].line_tally.running if rows else dict.fromkeys(self.sides, 0)
        winner = counted.winner if counted else None
        standing = GinStanding(totals=totals, boxes=boxes, winner=winner, complete=winner is not None)
        return (replace(block, footer=tuple(self._lay_out_foot(standing, written=counted is None))),)

    def _lay_out_foot(self, standing: GinStanding, *, written: bool) -> Iterator[LineCells]:
        """Yield the lines of the settlement, with each amount below its side's total.

        If `written` is True, the cells are left empty to fill in by hand.
        """

        def line(words: str, cells: Iterable[Cell]) -> LineCells:
            return LineCells((Cell(text=words, span=3), *(cell for amount in cells for cell in (Cell(), amount))))

        yield line(lazy_text("Boxes"), (make_box_cell(standing.boxes[side], written=written) for side in self.sides))
        if written or standing.complete:
            for words, amounts in self.list_settlement_items(standing).items():
                yield line(words, (make_amount_cell(amounts[side], written=written) for side in self.sides))
            paid = self.compute_settlement(standing) or dict.fromkeys(self.sides, 0)
            cells = (make_amount_cell(paid[side], written=written, strong=True) for side in self.sides)
            yield line(lazy_text("Settlement"), cells)


def make_box_cell(boxes: int, *, written: bool) -> Cell:
    if written or not boxes:
        return Cell(numeric=True, write=written)
    return Cell(
        text=str(boxes),
        numeric=True,
        mark=CellMark.BOX,
        why=lazy_plural("%(number)s hand won", "%(number)s hands won", boxes),
    )


def make_amount_cell(amount: int, *, written: bool, strong: bool = False) -> Cell:
    return Cell(text="" if written else str(amount), numeric=True, strong=strong, write=written)


GRA_RULES_BY_TOPIC: Final[Mapping[RuleTopic, str]] = {
    RuleTopic.KNOCK_CARD: lazy_text("GRA singles rule 4"),
    RuleTopic.ACE: lazy_text("GRA singles rule 4"),
    RuleTopic.UP_CARD_RECORDED: lazy_text("GRA singles rule 4"),
    RuleTopic.KNOCK: lazy_text("GRA singles rule 6"),
    RuleTopic.GIN: lazy_text("GRA singles rule 6"),
    RuleTopic.FIFTIETH_CARD: lazy_text("GRA singles rule 6"),
    RuleTopic.WRONG_COUNT: lazy_text("GRA singles rule 8"),
    RuleTopic.IMPROPER_KNOCK: lazy_text("GRA singles rule 9"),
}
GRA_RULES_BY_OPTION: Final[Mapping[str, str]] = {
    "knock": lazy_text("GRA singles rule 4"),
    "ace": lazy_text("GRA singles rule 4"),
    "gin_bonus": lazy_text("GRA singles rule 6"),
    "undercut_bonus": lazy_text("GRA singles rule 6"),
}
"""The GRA rule of 2012 that sets each option, keyed by the option's name. Partnership games use the same rules."""


def make_side_columns(side: str) -> tuple[SheetColumn, SheetColumn]:
    """Return a side's two columns: its points from the line, and its total after the line."""
    points = SheetColumn(
        key="points", heading=side, side=side, numeric=True, text=lambda row: str(row.line_tally.points[side] or "")
    )
    return points, make_total_column(side, lazy_text("%(side)s, total", side=side))


def format_up_card(card: PlayingCard | None) -> str:
    return "" if card is None else card.symbol


def format_outcome(hand: Hand, event: str) -> str:
    """Return the outcome with its counts, such as “undercut, 8 against 8”."""
    if not isinstance(hand, FinishedHand):
        return OUTCOME_WORDS[hand.outcome]
    if hand.outcome is HandOutcome.KNOCK:
        return lazy_text(
            "%(event)s, %(own_count)s against %(adjusted_count)s",
            event=event,
            own_count=hand.own_count,
            adjusted_count=hand.adjusted_count,
        )
    return lazy_text("%(outcome)s, %(count)s", outcome=OUTCOME_WORDS[hand.outcome], count=hand.adjusted_count)


# --- Standard gin ----------------------------------------------------------------------------------------------------
# The game of most books: knock with ten or less, 100 points, big gin, boxes, a game bonus, and doubled shutouts.


class StandardGin(TwoSidedGin):
    name = "standard"
    title = lazy_text("Standard gin")
    about = lazy_text(
        "Two players to 100, knocking with ten or fewer; boxes, a game bonus and shutouts are settled at the end."
    )
    rulebook = Rulebook(
        lazy_text("Standard gin"),
        summary=(
            lazy_text("Ten cards each; sets of three or four of a rank, runs of three or more in a suit, ace low."),
            lazy_text(
                "A player may knock with no more unmatched points than the knock limit; the up card does not limit it."
            ),
            lazy_text(
                "A knock wins with strictly fewer points after lay-offs, and scores the difference. "
                "Otherwise it is an undercut: the opponent scores the difference and the bonus."
            ),
            lazy_text(
                "Gin and big gin (eleven matched cards, where it is played) score the opponent's unmatched "
                "points and the bonus; nothing can be laid off."
            ),
            lazy_text("When the fiftieth card has been drawn the hand is dead."),
            lazy_text(
                "The first side at the target wins. Boxes, the bonus for the game and a shutout are settled after that."
            ),
        ),
    )
    options: ClassVar[tuple[Option, ...]] = adapt_options_to_variant(
        GIN_OPTIONS,
        {},
        target=100,
        knock=10,
        ace=ACE_COUNTS_ONE,
        big_gin_bonus=31,
        box_bonus=25,
        game_bonus=100,
        shutout=SHUTOUT_DOUBLES_TOTAL,
    )


# --- Oklahoma gin ----------------------------------------------------------------------------------------------------
# The up card sets the knock limit, an ace is played for gin, and spades double the hand.


class OklahomaGin(TwoSidedGin):
    name = "oklahoma"
    title = lazy_text("Oklahoma gin")
    about = lazy_text("Two players; the up card limits the knock, and a spade turned up doubles the hand.")
    rulebook = Rulebook(
        lazy_text("Oklahoma gin"),
        summary=(
            lazy_text(
                "Ten cards each; the next card is turned up, and its value is the most one may knock with: "
                "pips at face, tens and court cards ten."
            ),
            lazy_text("An ace up: the hand is played for gin."),
            lazy_text("A spade up: the hand counts double, bonuses included. It is still one box."),
            lazy_text(
                "A knock wins with strictly fewer points after lay-offs, and scores the difference. "
                "Otherwise it is an undercut: the opponent scores the difference and the bonus."
            ),
            lazy_text("Gin scores the opponent's unmatched points and the bonus; nothing can be laid off."),
            lazy_text(
                "The first side at the target wins. Boxes, the bonus for the game and a shutout are settled after that."
            ),
        ),
    )
    options: ClassVar[tuple[Option, ...]] = adapt_options_to_variant(
        GIN_OPTIONS, {}, spades_double=True, box_bonus=25, game_bonus=100, shutout=SHUTOUT_DOUBLES_TOTAL
    )
