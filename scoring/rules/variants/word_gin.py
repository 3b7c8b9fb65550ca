"""BWC Gin Rummy: the cards are letters, and the melds are words.

Source: How to play BWC Gin Rummy (Build Word Challenge). That source sets a minimum word length only for “Gin – Four”.
The default minimum in this module is three letters.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, Final

from scoring.rules.book.layout import Cell, CellMark, LineCells, SheetBlock, format_signed_number
from scoring.rules.book.options import NamedValue, NumberRange, Option, Options, Rulebook
from scoring.rules.hand.hand_reader import SideReader
from scoring.rules.hand.hands import HAND_SIZE, MAX_POINTS
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
    make_line_number_column,
)
from tournament.cases import FieldReader, join_path
from tournament.lazy_text import join_texts, lazy_plural, lazy_text

# --- The score of a hand ---------------------------------------------------------------------------------------------
# Each side has a score, which is explained term by term.

GIN_BONUS: Final = 10
LONG_WORD_BONUS: Final = 50
MIN_LONG_WORD_LENGTH: Final = 7
"""The minimum number of letters in a long word."""


class _WordOutcome(StrEnum):
    GIN = "gin"
    KNOCK = "knock"
    STOCK = "stock"


@dataclass(frozen=True, slots=True)
class _LaidCards:
    """The cards that a side laid down: its points for words, its deadwood, and its number of long words.

    The points for words do not include the bonus for long words.
    """

    words: int
    deadwood: int
    long_words: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _WordHand:
    """A hand, and how it ended. The side `by` ended it, by going gin, knocking, or drawing the last card.

    `own` describes the cards that `by` laid down, and `other` describes those of the opponent, `against`.
    """

    outcome: _WordOutcome
    by: str
    against: str
    own: _LaidCards
    other: _LaidCards

    def get_laid_cards(self, side: str) -> _LaidCards:
        return self.own if side == self.by else self.other


@dataclass(frozen=True, slots=True)
class _ScoreTerm:
    """One term of the sum that makes up a score, with its label. `sign` is −1 if the term is subtracted."""

    points: int
    what: str
    sign: int = 1

    @property
    def amount(self) -> int:
        return self.sign * self.points


_ScoreTerms = tuple[_ScoreTerm, ...]


def _list_score_terms(hand: _WordHand) -> tuple[_ScoreTerms, _ScoreTerms]:
    """Return the terms of both sides' scores, starting with the side that ended the hand.

    >>> own, other = _LaidCards(20, 9), _LaidCards(15, 4)
    >>> knock = _WordHand(outcome=_WordOutcome.KNOCK, by="A", against="B", own=own, other=other)
    >>> [_sum_terms(steps) for steps in _list_score_terms(knock)]
    [-9, 20]
    """
    own, other = hand.own, hand.other
    if hand.outcome is _WordOutcome.GIN:
        return (
            _ScoreTerm(GIN_BONUS, lazy_text("bonus")),
            *_list_word_terms(own),
            _make_deadwood_gain(other, hand.against),
        ), _list_word_and_deadwood_terms(other)
    if hand.outcome is _WordOutcome.STOCK or own.deadwood == other.deadwood:
        return _list_word_and_deadwood_terms(own), (
            *_list_word_terms(other),
            _ScoreTerm(other.deadwood, lazy_text("deadwood")),
        )
    if own.deadwood < other.deadwood:
        return (
            *_list_word_and_deadwood_terms(own),
            _make_deadwood_gain(other, hand.against),
        ), _list_word_and_deadwood_terms(other)
    return (_ScoreTerm(0, lazy_text("for words")), _make_deadwood_loss(own)), (
        *_list_word_and_deadwood_terms(other),
        _make_deadwood_gain(own, hand.by),
    )


def _sum_terms(steps: _ScoreTerms) -> int:
    return sum(step.amount for step in steps)


def _explain_scores(hand: _WordHand, source: str) -> str:
    """Return the calculation as text, with its source.

    >>> own, other = _LaidCards(31, 0, 1), _LaidCards(12, 7)
    >>> gin = _WordHand(outcome=_WordOutcome.GIN, by="A", against="B", own=own, other=other)
    >>> _explain_scores(gin, "BWC")
    'gin: 10 bonus + 31 words + 50 for 1 long word + 7 deadwood of B = 98 to A, 12 words − 7 deadwood = 5 to B, BWC'
    """
    own, other = _list_score_terms(hand)
    return lazy_text(
        "%(ending)s: %(own)s to %(by)s, %(other)s to %(against)s, %(source)s",
        ending=_describe_ending(hand),
        own=_format_sum(own),
        by=hand.by,
        other=_format_sum(other),
        against=hand.against,
        source=source,
    )


def _list_word_terms(laid: _LaidCards) -> _ScoreTerms:
    words = _ScoreTerm(laid.words, lazy_text("words"))
    if not laid.long_words:
        return (words,)
    bonus = lazy_plural("for %(number)s long word", "for %(number)s long words", laid.long_words)
    return words, _ScoreTerm(LONG_WORD_BONUS * laid.long_words, bonus)


def _list_word_and_deadwood_terms(laid: _LaidCards) -> _ScoreTerms:
    return (*_list_word_terms(laid), _make_deadwood_loss(laid))


def _make_deadwood_loss(laid: _LaidCards) -> _ScoreTerm:
    return _ScoreTerm(laid.deadwood, lazy_text("deadwood"), sign=-1)


def _make_deadwood_gain(laid: _LaidCards, whose: str) -> _ScoreTerm:
    return _ScoreTerm(laid.deadwood, lazy_text("deadwood of %(whose)s", whose=whose))


def _format_sum(steps: _ScoreTerms) -> str:
    """Return a sum as text, such as “31 words − 7 deadwood = 24”."""
    written: list[str] = []
    for step in steps:
        sign = "−" if step.sign < 0 else "+" if written else ""
        written.append(join_texts(" ", filter(None, [sign, str(step.points), step.what])))
    return join_texts(" = ", [join_texts(" ", written), format_signed_number(_sum_terms(steps))])


def _describe_ending(hand: _WordHand) -> str:
    if hand.outcome is _WordOutcome.GIN:
        return lazy_text("gin")
    if hand.outcome is _WordOutcome.STOCK:
        return lazy_text("the stock ran out, scored like a knock with equal deadwood")
    return lazy_text(
        "knock with %(deadwood)s against %(deadwood_2)s", deadwood=hand.own.deadwood, deadwood_2=hand.other.deadwood
    )


# --- The variant -----------------------------------------------------------------------------------------------------

_SCORING: Final = lazy_text("BWC Gin Rummy, “Scoring”")
_VARIATIONS: Final = lazy_text("BWC Gin Rummy, “Game variations”")
PROGRESSIVE_HAND_COUNT: Final = 8
FIRST_HAND_CARD_COUNT: Final = 3
_POINT_RANGE: Final = NumberRange(0, MAX_POINTS)
_LONG_WORD_RANGE: Final = NumberRange(0, MAX_POINTS // LONG_WORD_BONUS)
"""The allowed number of long words. The bonus for more long words would exceed the maximum points."""
_OUTCOME_WORDS: Final[Mapping[_WordOutcome, str]] = {
    _WordOutcome.GIN: "gin",
    _WordOutcome.KNOCK: "knock",
    _WordOutcome.STOCK: lazy_text("last card"),
}

_DRAW: Final = TableDraw(
    rule=lazy_text("BWC Gin Rummy, “The Deal”"),
    instruction=lazy_text("Draw for deal from the shuffled deck."),
    question=lazy_text("Who drew the lowest card?"),
    words=lazy_text("The player who draws the lowest card deals first."),
    places=(TableDrawPosition(lazy_text("Lowest card"), lazy_text("deals first"), lazy_text("deals first")),),
)


_OUTCOME_VERBS: Final = {
    _WordOutcome.GIN: lazy_text("went gin"),
    _WordOutcome.KNOCK: "knocked",
    _WordOutcome.STOCK: lazy_text("drew the last card"),
}


class WordGin(Variant[_WordHand, SheetStanding]):
    name = "word-gin"
    title = lazy_text("BWC Gin Rummy (words)")
    about = lazy_text("Two players whose melds are words; letters and long words score, deadwood costs.")
    rulebook = Rulebook(
        lazy_text("How to play BWC Gin Rummy"),
        summary=(
            lazy_text("Ten cards each; the melds are words. A player who can use all ten cards in words goes gin."),
            lazy_text("Knock by laying a card face down: it is a gamble if the opponent has less deadwood."),
            lazy_text("Gin: 10, the words, and the opponent's deadwood. The opponent: words less deadwood."),
            lazy_text(
                "Knock with less deadwood: words less deadwood, and the opponent's deadwood. The opponent: "
                "words less deadwood."
            ),
            lazy_text(
                "Knock with equal deadwood: words less deadwood. The opponent: words and deadwood. When the "
                "deck runs out, the hand is scored so, the last card's drawer as the knocker."
            ),
            lazy_text(
                "Knock with more deadwood: the words count nothing, the deadwood is lost. The opponent: "
                "words less deadwood, and the knocker's deadwood."
            ),
            lazy_text("A word of seven or more letters brings 50 more."),
            lazy_text(
                "The game ends when a player is at the target and ahead; played progressive, after eight "
                "hands of three to ten cards."
            ),
        ),
    )
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            name="target",
            label=lazy_text("Points a game"),
            short_label=lazy_text("Game {}"),
            meaning=lazy_text("The side at or over it, and ahead, wins the game; progressive does not look at it."),
            default=1000,
            rule=lazy_text("BWC Gin Rummy, “Game ends”"),
            numbers=NumberRange(1),
        ),
        Option(
            name="progressive",
            label=lazy_text("Progressive"),
            meaning=lazy_text("Eight hands, of three cards, four and so on to ten; the better total wins."),
            default=False,
            rule=_VARIATIONS,
            named=(
                NamedValue(False, lazy_text("no")),
                NamedValue(
                    True, lazy_text("yes: eight hands, three to ten cards"), lazy_text("Progressive: eight hands")
                ),
            ),
        ),
        Option(
            name="min_letters",
            label=lazy_text("Letters a word"),
            short_label=lazy_text("Words of {} letters or more"),
            meaning=lazy_text("A word has at least so many letters (four: “Gin – Four”)."),
            default=3,
            numbers=NumberRange(1, HAND_SIZE),
        ),
    )

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        target, letters = options["target"], options["min_letters"]
        if not isinstance(target, int) or not isinstance(letters, int):
            raise TypeError("the target and the letters a word are numbers")
        self.target = target
        self.min_letters = letters
        self.progressive = options["progressive"] is True
        self.reader = SideReader(sides)

    def table_draw(self) -> TableDraw:
        return _DRAW

    def line_fields(self) -> tuple[LineField, ...]:
        words = lazy_text(
            "Value of the letters in words of %(min_letters)s or more, without the %(long_word_bonus)ss",
            min_letters=self.min_letters,
            long_word_bonus=LONG_WORD_BONUS,
        )
        return (
            LineField(name="outcome", label=lazy_text("How it ended"), kind=FieldKind.CHOICE, required=True,
                      choices=tuple((str(outcome), _OUTCOME_WORDS[outcome]) for outcome in _WordOutcome),
                      verbs=tuple((str(outcome), words) for outcome, words in _OUTCOME_VERBS.items())),
            LineField(name="by", label=lazy_text("By"), kind=FieldKind.SIDE, required=True,
                      hint=lazy_text("Who went gin, knocked, or drew the last card")),
            LineField(name="words", label=lazy_text("Words"), kind=FieldKind.NUMBER_A_SIDE, required=True, hint=words),
            LineField(name="long_words", label=lazy_text("Long words"), kind=FieldKind.NUMBER_A_SIDE,
                      hint=lazy_text("Words of %(long_word)s or more letters, %(long_word_bonus)s each",
                          long_word=MIN_LONG_WORD_LENGTH, long_word_bonus=LONG_WORD_BONUS)),
            LineField(name="deadwood", label=lazy_text("Deadwood"), kind=FieldKind.NUMBER_A_SIDE, required=True,
                      hint=lazy_text("Value of the cards in no word"), zero_count_player_field="by",
                      zero_count_outcomes=(str(_WordOutcome.GIN),)),
        )  # fmt: skip

    def read_line(self, fields: FieldReader) -> _WordHand | None:
        before = len(fields.problems.found)
        none: dict[str, int] = {}
        outcome = fields.choice("outcome", [outcome.value for outcome in _WordOutcome])
        by = fields.read("by", self.reader.read_side)
        words = fields.read("words", self.reader.make_number_reader(_POINT_RANGE)) or {}
        long_words = fields.read("long_words", self.reader.make_number_reader(_LONG_WORD_RANGE, each=False), none)
        deadwood = fields.read("deadwood", self.reader.make_number_reader(_POINT_RANGE)) or {}
        fields.finish()
        if outcome == _WordOutcome.GIN and by is not None and deadwood.get(by):
            message = lazy_text(
                "%(deadwood)s does not go with gin: the player who goes gin has all cards in words.",
                deadwood=deadwood[by],
            )
            fields.problems.add_bad_value(join_path(fields.get_path("deadwood"), by), message)
        if len(fields.problems.found) > before or by not in self.sides:
            return None
        against = next(side for side in self.sides if side != by)
        own, other = (_LaidCards(words[side], deadwood[side], long_words.get(side, 0)) for side in (by, against))
        return _WordHand(outcome=_WordOutcome(outcome), by=by, against=against, own=own, other=other)

    def write_line(self, line: _WordHand) -> dict[str, Any]:
        laid = {side: line.get_laid_cards(side) for side in self.sides}
        written: dict[str, Any] = {
            "outcome": str(line.outcome),
            "by": line.by,
            "words": {side: each.words for side, each in laid.items()},
            "deadwood": {side: each.deadwood for side, each in laid.items()},
        }
        long_words = {side: each.long_words for side, each in laid.items() if each.long_words}
        return {**written, "long_words": long_words} if long_words else written

    def make_initial_standing(self) -> SheetStanding:
        return SheetStanding(totals=dict.fromkeys(self.sides, 0))

    def score_line(self, standing: SheetStanding, line: _WordHand) -> tuple[SheetStanding, LineTally]:
        own, other = _list_score_terms(line)
        points = {side: _sum_terms(own if side == line.by else other) for side in self.sides}
        totals = {side: standing.totals[side] + points[side] for side in self.sides}
        lines = standing.lines + 1
        best = max(totals.values())
        leading = [side for side, total in totals.items() if total == best]
        ahead = leading[0] if len(leading) == 1 else None
        is_reached = ahead is not None and totals[ahead] >= self.target
        complete = lines == PROGRESSIVE_HAND_COUNT if self.progressive else is_reached
        after = SheetStanding(totals=totals, complete=complete, winner=ahead if complete else None, lines=lines)
        words = _explain_scores(line, _SCORING)
        return after, LineTally(points=points, running=totals, event=str(line.outcome), explanation=words)

    def iter_warnings(self, line: _WordHand, earlier: Sequence[_WordHand]) -> Iterator[LineWarning]:
        if line.outcome is _WordOutcome.KNOCK and line.own.deadwood == 0:
            yield LineWarning(
                "knock-with-nothing", lazy_text("%(by)s knocked without deadwood. Was it gin?", by=line.by)
            )
        if line.outcome is _WordOutcome.GIN and line.own.words == 0:
            yield LineWarning(
                "gin-without-words",
                lazy_text("%(by)s went gin, and no words are counted. Are they missing?", by=line.by),
            )
        if line.outcome is _WordOutcome.GIN and line.other.deadwood == 0:
            yield LineWarning(
                "gin-against-nothing",
                lazy_text("%(against)s had no deadwood against a gin. Is that right?", against=line.against),
            )
        yield from self._warn_of_too_many_words(
            line, FIRST_HAND_CARD_COUNT + len(earlier) if self.progressive else HAND_SIZE
        )
        if earlier and earlier[-1] == line:
            yield LineWarning(
                "same-hand", lazy_text("The hand before has exactly these numbers. Is this one recorded twice?")
            )

    def _warn_of_too_many_words(self, line: _WordHand, cards: int) -> Iterator[LineWarning]:
        """Yield warnings about words that need more cards than the hand has."""
        for side in self.sides:
            laid = line.get_laid_cards(side)
            if laid.long_words and not laid.words:
                yield LineWarning(
                    "long-word-without-points",
                    lazy_text("%(side)s has a long word, and no points for words.", side=side),
                )
            if laid.long_words * MIN_LONG_WORD_LENGTH > cards:
                has = lazy_text(
                    "%(side)s has %(long_words)s long, and %(cards)s cards",
                    side=side,
                    long_words=laid.long_words,
                    cards=cards,
                )
                yield LineWarning(
                    "too-many-long-words",
                    lazy_text(
                        "%(has)s: a long word takes %(long_word)s letters.", has=has, long_word=MIN_LONG_WORD_LENGTH
                    ),
                )
            if laid.words and cards < self.min_letters:
                message = lazy_text(
                    "%(side)s has words of %(cards)s cards, and a word has %(min_letters)s letters or more here.",
                    side=side,
                    cards=cards,
                    min_letters=self.min_letters,
                )
                yield LineWarning("words-too-short", message)

    def columns(self) -> tuple[SheetColumn, ...]:
        cards = SheetColumn(
            key="cards", heading=lazy_text("Cards"), text=lambda row: _describe_cards_dealt(row.number), numeric=True
        )
        outcome = SheetColumn(
            key="outcome",
            heading=lazy_text("Outcome"),
            text=lambda row: f"{_OUTCOME_WORDS[row.line.outcome]}, {row.line.by}",
            weight=2,
        )
        each = (column for side in self.sides for column in _make_side_columns(side))
        return (make_line_number_column(), *([cards] if self.progressive else []), outcome, *each)

    def blocks(
        self, rows: Sequence[SheetRow], counted: Tally | None = None, *, blank: int = 0
    ) -> tuple[SheetBlock, ...]:
        """Return the sheet, with words, long words and deadwood before the points of each hand.

        The sheet of a progressive game has at most eight lines.
        """
        if self.progressive:
            blank = min(blank, PROGRESSIVE_HAND_COUNT - len(rows))
        [block] = super().blocks(rows, counted, blank=blank)
        lines = block.lines
        if self.progressive:
            empty = enumerate(lines[len(rows) :], start=len(rows) + 1)
            lines = (*lines[: len(rows)], *(_add_card_count(line, number) for number, line in empty))
        return (replace(block, lines=lines, footer=(self._make_foot(len(block.headings), counted),)),)

    def _make_foot(self, width: int, counted: Tally | None) -> LineCells:
        a_side = len(_make_side_columns(""))
        ended = counted is None or counted.complete
        cells = [Cell(text=lazy_text("Final") if ended else lazy_text("Now"), span=width - a_side * len(self.sides))]
        for side in self.sides:
            total = "" if counted is None else format_signed_number(counted.totals[side])
            won = counted is not None and counted.winner == side
            mark = CellMark.WON if won else CellMark.NONE
            cells.append(Cell(span=a_side - 1))
            cells.append(Cell(text=total, numeric=True, strong=True, mark=mark, write=counted is None))
        return LineCells(tuple(cells))


def _describe_cards_dealt(hand: int) -> str:
    """Return the number of cards dealt in a hand of a progressive game, as text. Hands are numbered from 1."""
    return str(FIRST_HAND_CARD_COUNT + hand - 1)


def _add_card_count(line: LineCells, hand: int) -> LineCells:
    number, _, *rest = line.cells
    return replace(line, cells=(number, Cell(text=_describe_cards_dealt(hand), numeric=True), *rest))


def _make_side_columns(side: str) -> tuple[SheetColumn, ...]:
    def column(key: str, heading: str, number: Callable[[SheetRow], int], weight: float = 1.0) -> SheetColumn:
        return SheetColumn(
            key=key,
            heading=heading,
            side=side,
            numeric=True,
            weight=weight,
            text=lambda row: format_signed_number(number(row)),
        )

    return (
        column("words", lazy_text("Words"), lambda row: _get_laid_cards(row, side).words),
        column("long_words", lazy_text("Long words"), lambda row: _get_laid_cards(row, side).long_words),
        column("deadwood", lazy_text("Deadwood"), lambda row: _get_laid_cards(row, side).deadwood, 1.3),
        column("scored", lazy_text("Points"), lambda row: row.line_tally.points[side]),
        column("running", lazy_text("Total"), lambda row: row.line_tally.running[side]),
    )


def _get_laid_cards(row: SheetRow, side: str) -> _LaidCards:
    hand: _WordHand = row.line
    return hand.get_laid_cards(side)
