"""Score a two-sided gin hand, and determine whether a player may knock.

The options are those of `gra-singles`, `standard` and `oklahoma`. A hand is recorded as a `FinishedHand`, an
`UnscoredHand`, or a `PointsOnlyHand`. Most paper sheets give only the points.

Sources: GRA 2012, singles 4 (up card, ace), 6 (knock and gin), 8 and 9 (improper knock); CONTRACTS.md, tally.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self, cast

from scoring.rules.book.options import NamedValue, NumberRange, Option, Options, Rulebook, RuleTopic
from scoring.rules.hand.arrangement import (
    AcePosition,
    Arrangement,
    arrange_hand,
    combine_card_bits,
    get_card_bit,
    get_meld_lookup_tables,
)
from scoring.rules.hand.cards import PlayingCard
from tournament.cases import ProblemCollector
from tournament.lazy_text import join_texts, lazy_plural, lazy_text

HAND_SIZE: Final = 10
MISSING_CARD_POINTS: Final = 10
"""The points for each card that is missing from a hand (GRA 2012, singles 8)."""
MAX_POINTS: Final = 10**9
"""The maximum count, score or bonus. Sums of a million such lines are still exact in every JSON parser."""
MAX_KNOCK_LIMIT: Final = 100
"""The maximum knock limit. Ten unmatched cards count at most 100 points."""

KNOCK_LIMIT_BY_UP_CARD: Final = "up-card"
ACE_MEANS_GIN_ONLY: Final = "gin"
ACE_COUNTS_ONE: Final = "one"
NO_SHUTOUT_BONUS: Final = "none"
SHUTOUT_DOUBLES_TOTAL: Final = "double"

_BONUS_RANGE: Final = NumberRange(0, MAX_POINTS)

GIN_OPTIONS: Final = (
    Option(
        name="target",
        label=lazy_text("Points a game"),
        short_label=lazy_text("Game {}"),
        meaning=lazy_text("The first side at or over it wins the game."),
        default=150,
        numbers=NumberRange(1),
    ),
    Option(
        name="knock",
        label=lazy_text("Knock limit"),
        short_label=lazy_text("Knock with {} or less"),
        meaning=lazy_text("The most unmatched points a player may knock with."),
        default=KNOCK_LIMIT_BY_UP_CARD,
        named=(
            NamedValue(
                KNOCK_LIMIT_BY_UP_CARD,
                lazy_text("the value of the up card"),
                lazy_text("Knock with the up card or less"),
            ),
        ),
        numbers=NumberRange(0, MAX_KNOCK_LIMIT),
        fallback=MAX_KNOCK_LIMIT,
    ),
    Option(
        name="ace",
        label=lazy_text("When the up card is an ace"),
        meaning=lazy_text("Whether the hand must then be played for gin."),
        default=ACE_MEANS_GIN_ONLY,
        named=(
            NamedValue(ACE_MEANS_GIN_ONLY, lazy_text("play for gin"), lazy_text("Ace: gin only")),
            NamedValue(ACE_COUNTS_ONE, lazy_text("it counts one")),
        ),
        fallback=ACE_COUNTS_ONE,
    ),
    Option(
        name="gin_bonus",
        label=lazy_text("Bonus for gin"),
        short_label=lazy_text("Gin {}"),
        meaning=lazy_text("Added to the opponent's unmatched points."),
        default=25,
        numbers=_BONUS_RANGE,
    ),
    Option(
        name="undercut_bonus",
        label=lazy_text("Bonus for an undercut"),
        short_label=lazy_text("Undercut {}"),
        meaning=lazy_text("Added to the difference when the knocker is not strictly lower."),
        default=25,
        numbers=_BONUS_RANGE,
    ),
    Option(
        name="big_gin_bonus",
        label=lazy_text("Bonus for big gin"),
        short_label=lazy_text("Big gin {}"),
        meaning=lazy_text("For eleven matched cards, in place of the bonus for gin."),
        default=None,
        named=(NamedValue(None, lazy_text("big gin is not played")),),
        numbers=_BONUS_RANGE,
        fallback=0,
    ),
    Option(
        name="spades_double",
        label=lazy_text("Spades double"),
        meaning=lazy_text("An up card of spades doubles the hand, bonuses included."),
        default=False,
        named=(NamedValue(False, lazy_text("no")), NamedValue(True, lazy_text("yes"), lazy_text("Spades double"))),
    ),
    Option(
        name="box_bonus",
        label=lazy_text("Bonus for each box"),
        short_label=lazy_text("Box {}"),
        meaning=lazy_text("For each hand won, in the settlement only; it never decides the winner."),
        default=0,
        numbers=_BONUS_RANGE,
    ),
    Option(
        name="game_bonus",
        label=lazy_text("Bonus for the game"),
        short_label=lazy_text("Game bonus {}"),
        meaning=lazy_text("For the winner, in the settlement only."),
        default=0,
        numbers=_BONUS_RANGE,
    ),
    Option(
        name="shutout",
        label=lazy_text("When the loser has no points"),
        meaning=lazy_text("Whether the winner's total is then doubled, in the settlement only."),
        default=NO_SHUTOUT_BONUS,
        named=(
            NamedValue(NO_SHUTOUT_BONUS, lazy_text("no extra")),
            NamedValue(SHUTOUT_DOUBLES_TOTAL, lazy_text("the winner's total is doubled"), lazy_text("Shutout ×2")),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class TypedGinOptions:
    """The options of a two-sided gin game as typed values. `knock` is None if the up card sets the limit."""

    target: int
    knock: int | None
    ace_for_gin: bool
    gin_bonus: int
    undercut_bonus: int
    big_gin_bonus: int | None
    spades_double: bool
    box_bonus: int
    game_bonus: int
    shutout_doubles: bool

    @classmethod
    def from_options(cls, options: Options) -> Self:
        """Convert options to typed values. An option that the rule set does not have gets its default."""
        options = {option.name: option.default for option in GIN_OPTIONS} | dict(options)
        number = cast("dict[str, int]", options)
        return cls(
            target=number["target"],
            knock=None if options["knock"] == KNOCK_LIMIT_BY_UP_CARD else number["knock"],
            ace_for_gin=options["ace"] == ACE_MEANS_GIN_ONLY,
            gin_bonus=number["gin_bonus"],
            undercut_bonus=number["undercut_bonus"],
            big_gin_bonus=None if options["big_gin_bonus"] is None else number["big_gin_bonus"],
            spades_double=options["spades_double"] is True,
            box_bonus=number["box_bonus"],
            game_bonus=number["game_bonus"],
            shutout_doubles=options["shutout"] == SHUTOUT_DOUBLES_TOTAL,
        )

    @property
    def plays_big_gin(self) -> bool:
        return self.big_gin_bonus is not None

    @property
    def needs_up_card(self) -> bool:
        """Whether the score can depend on the up card."""
        return self.knock is None or self.spades_double

    @property
    def has_settlement(self) -> bool:
        """Whether a finished game is settled with further bonuses, in addition to its totals."""
        return self.box_bonus > 0 or self.game_bonus > 0 or self.shutout_doubles

    def find_knock_limit(self, up: PlayingCard | None) -> int | None:
        """Return the maximum deadwood count with which a player may knock.

        Return None if the limit depends on the up card, and the up card is unknown.
        """
        if self.knock is not None:
            return self.knock
        return None if up is None else up.value

    def requires_gin(self, up: PlayingCard | None) -> bool:
        """Return whether the up card forbids knocking, so that players have to go gin (GRA 2012, singles 4)."""
        return self.ace_for_gin and up is not None and up.is_ace

    def is_doubled(self, up: PlayingCard | None) -> bool:
        return self.spades_double and up is not None and up.is_spade

    def compute_max_points(self, up: PlayingCard | None) -> int:
        """Return the highest possible score of a hand in which both sides have the correct number of cards.

        `up` is None if the up card is unknown.
        """
        gin = compute_max_deadwood() + max(self.gin_bonus, self.big_gin_bonus or 0)
        limit = self.find_knock_limit(up)
        undercut = (10 if limit is None else limit) + self.undercut_bonus
        may_double = self.spades_double and (up is None or up.is_spade)
        return max(gin, undercut) * (2 if may_double else 1)


class HandOutcome(StrEnum):
    """How a hand ended, as the scorer records it."""

    KNOCK = "knock"
    GIN = "gin"
    BIG_GIN = "big-gin"
    STOCK = "stock"
    VOID = "void"
    POINTS = "points"


FINISHING_OUTCOMES: Final = (HandOutcome.KNOCK, HandOutcome.GIN, HandOutcome.BIG_GIN)
OUTCOME_WORDS: Final[Mapping[HandOutcome, str]] = {
    HandOutcome.KNOCK: lazy_text("knock"),
    HandOutcome.GIN: lazy_text("gin"),
    HandOutcome.BIG_GIN: lazy_text("big gin"),
    HandOutcome.STOCK: lazy_text("dead hand"),
    HandOutcome.VOID: lazy_text("thrown in"),
    HandOutcome.POINTS: lazy_text("points only"),
}
OUTCOME_VERBS: Final[Mapping[HandOutcome, str]] = {
    HandOutcome.KNOCK: lazy_text("knocked"),
    HandOutcome.GIN: lazy_text("went gin"),
    HandOutcome.BIG_GIN: lazy_text("went big gin"),
}


class HandResult(StrEnum):
    """How a hand ended, once its points have been counted."""

    KNOCK = "knock"
    UNDERCUT = "undercut"
    GIN = "gin"
    BIG_GIN = "big-gin"
    DEAD = "dead"
    VOID = "void"
    POINTS = "points"


RESULT_WORDS: Final[Mapping[HandResult, str]] = {
    HandResult.KNOCK: lazy_text("knock"),
    HandResult.UNDERCUT: lazy_text("undercut"),
    HandResult.GIN: lazy_text("gin"),
    HandResult.BIG_GIN: lazy_text("big-gin"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedHand:
    """A hand that the side `by` ended with a knock, gin or big gin. The counts are taken after lay-offs.

    `missing` is the number of cards missing from the other side's hand. `extra` lists the surplus cards in that hand
    (GRA 2012, singles 8).
    """

    outcome: HandOutcome
    by: str
    against: str
    own_count: int
    other_count: int
    missing: int = 0
    extra: tuple[PlayingCard, ...] = ()
    up: PlayingCard | None = None
    dealer: str | None = None

    @property
    def adjusted_count(self) -> int:
        """The count of the side that did not knock, with points added for missing and extra cards.

        This count decides which side scores the hand.
        """
        extra = sum(card.value for card in self.extra)
        return self.other_count + MISSING_CARD_POINTS * self.missing + extra


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsOnlyHand:
    """A hand recorded only with its points. `to` is None if nobody scored."""

    to: str | None
    points: int
    up: PlayingCard | None = None
    dealer: str | None = None

    @property
    def outcome(self) -> HandOutcome:
        return HandOutcome.POINTS


@dataclass(frozen=True, slots=True, kw_only=True)
class UnscoredHand:
    """A hand without a score, because the stock ran out (`stock`) or a ruling voided the hand (`void`)."""

    outcome: HandOutcome
    up: PlayingCard | None = None
    dealer: str | None = None


Hand = FinishedHand | PointsOnlyHand | UnscoredHand


@dataclass(frozen=True, slots=True)
class HandScore:
    """The score of a hand, with the calculation as text.

    `to` is the side that gets the `points`, or None if nobody scores.
    """

    event: HandResult
    to: str | None
    points: int
    explanation: str


def score_hand(hand: Hand, terms: TypedGinOptions, rulebook: Rulebook) -> HandScore:
    """Return the score of a valid hand. `HandReader` has already rejected impossible hands.

    >>> from scoring.rules.variants.gin.gra import GraSingles
    >>> terms, book = TypedGinOptions.from_options(GraSingles.defaults()), GraSingles.rulebook
    >>> hand = FinishedHand(outcome=HandOutcome.KNOCK, by="A", against="B", own_count=8, other_count=8)
    >>> score_hand(hand, terms, book).explanation
    'undercut: 8 against 8, difference 0, bonus 25: 25 to B, GRA singles rule 6'
    """
    if isinstance(hand, FinishedHand):
        return _score_finished_hand(hand, terms, rulebook)
    if isinstance(hand, PointsOnlyHand):
        if hand.points == 0:
            return HandScore(HandResult.POINTS, None, 0, lazy_text("points as recorded: nobody scores"))
        words = lazy_text("points as recorded: %(points)s to %(to)s", points=hand.points, to=hand.to)
        return HandScore(HandResult.POINTS, hand.to, hand.points, words)
    if hand.outcome is HandOutcome.STOCK:
        words = rulebook.cite_steps(RuleTopic.FIFTIETH_CARD, [lazy_text("dead hand: the stock ran out, nobody scores")])
        return HandScore(HandResult.DEAD, None, 0, words)
    return HandScore(HandResult.VOID, None, 0, lazy_text("thrown in by a ruling: nobody scores"))


def _score_finished_hand(hand: FinishedHand, terms: TypedGinOptions, rulebook: Rulebook) -> HandScore:
    event, to, difference, bonus = _compare_hands(hand, terms)
    worth = (difference + bonus) * (2 if terms.is_doubled(hand.up) else 1)
    topic = RuleTopic.GIN if event in (HandResult.GIN, HandResult.BIG_GIN) else RuleTopic.KNOCK
    steps = [_describe_counts(hand, event, rulebook)]
    if topic is RuleTopic.KNOCK:
        steps.append(lazy_text("difference %(points)s", points=difference))
    if bonus:
        steps.append(lazy_text("bonus %(points)s", points=bonus))
    if terms.is_doubled(hand.up):
        steps.append(lazy_text("doubled, spades up"))
    result = lazy_text("%(points)s to %(side)s", points=worth, side=to) if worth else lazy_text("nobody scores")
    words = rulebook.cite_steps(topic, [join_texts(": ", [join_texts(", ", steps), result])])
    return HandScore(event, to if worth else None, worth, words)


def _compare_hands(hand: FinishedHand, terms: TypedGinOptions) -> tuple[HandResult, str, int, int]:
    """Return the result, the scoring side, the points before bonuses and doubling, and the bonus."""
    other = hand.adjusted_count
    if hand.outcome is HandOutcome.GIN:
        return HandResult.GIN, hand.by, other, terms.gin_bonus
    if hand.outcome is HandOutcome.BIG_GIN:
        return HandResult.BIG_GIN, hand.by, other, terms.big_gin_bonus or 0
    if hand.own_count < other:
        return HandResult.KNOCK, hand.by, other - hand.own_count, 0
    return HandResult.UNDERCUT, hand.against, hand.own_count - other, terms.undercut_bonus


def _describe_counts(hand: FinishedHand, event: HandResult, rulebook: Rulebook) -> str:
    """Return a description such as “gin: 30 unmatched (20 counted, 1 card missing 10, GRA singles rule 8)”."""
    count = join_texts(": ", [RESULT_WORDS[event], _compare_counts(hand, event)])
    if not hand.missing and not hand.extra:
        return count
    return lazy_text("%(count)s (%(adjustment)s)", count=count, adjustment=_describe_adjustment(hand, rulebook))


def _compare_counts(hand: FinishedHand, event: HandResult) -> str:
    if event in (HandResult.GIN, HandResult.BIG_GIN):
        return lazy_text("%(adjusted_count)s unmatched", adjusted_count=hand.adjusted_count)
    return lazy_text(
        "%(own_count)s against %(adjusted_count)s", own_count=hand.own_count, adjusted_count=hand.adjusted_count
    )


def _describe_adjustment(hand: FinishedHand, rulebook: Rulebook) -> str:
    """Return a description such as “20 counted, 1 card missing 10, KH too many 10, GRA singles rule 8”."""
    parts = [lazy_text("%(other_count)s counted", other_count=hand.other_count)]
    if hand.missing:
        parts.append(
            lazy_plural(
                "%(number)s card missing %(points)s",
                "%(number)s cards missing %(points)s",
                hand.missing,
                points=MISSING_CARD_POINTS * hand.missing,
            )
        )
    parts += [lazy_text("%(card)s too many %(value)s", card=card, value=card.value) for card in hand.extra]
    return rulebook.cite_steps(RuleTopic.WRONG_COUNT, parts)


def compute_max_deadwood(cards: int = HAND_SIZE) -> int:
    """Return the highest possible deadwood count of a hand of up to ten cards in its best arrangement.

    The worst ten cards are two each of ten, jack, queen, king and nine without a run: `TC TD JC JD QH QS KH KS 9H 9S`.

    >>> compute_max_deadwood()
    98
    """
    tens = min(cards, 8)
    return 10 * tens + 9 * max(0, cards - tens)


# --- Knocking --------------------------------------------------------------------------------------------------------
# The options of the player on turn: gin, big gin or a knock, and whether each is legal. A hand that was laid down has
# as many cards as were dealt. A hand with one more is before its discard, and every discard is tried.


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockRule:
    """The conditions for laying down a hand, by knocking or with gin.

    `limit` is the maximum count for a knock, or None if an unrecorded up card would set the limit.
    """

    limit: int | None
    requires_gin: bool = False
    """Whether knocking is forbidden, for example because the up card is an ace."""
    allows_big_gin: bool = False
    """Whether big gin (“double gin”) is allowed.

    In big gin, every card is matched, including the drawn one, so nothing is discarded.
    """
    hand_size: int = HAND_SIZE
    ace: AcePosition = AcePosition.LOW

    @classmethod
    def for_up_card(cls, up: PlayingCard | None, terms: TypedGinOptions, ace: AcePosition = AcePosition.LOW) -> Self:
        """Return the conditions for a knock in a game between two sides, given the up card."""
        return cls(
            limit=terms.find_knock_limit(up),
            requires_gin=terms.requires_gin(up),
            allows_big_gin=terms.plays_big_gin,
            ace=ace,
        )


class KnockVerdict(StrEnum):
    BIG_GIN = "big-gin"
    GIN = "gin"
    KNOCK = "knock"
    TOO_HIGH = "knock-too-high"
    """The deadwood is above the limit, so the knock is improper (GRA 2012, singles 9)."""
    ACE_REQUIRES_GIN = "ace-requires-gin"
    """The player has deadwood although the up card requires gin (GRA 2012, singles 4)."""
    NO_UP_CARD = "no-up-card"
    """The player has deadwood, and the knock limit is unknown because no up card is recorded."""

    @property
    def is_legal(self) -> bool | None:
        """Whether the player may lay down the hand, or None if this is unknown."""
        if self is KnockVerdict.NO_UP_CARD:
            return None
        return self in (KnockVerdict.BIG_GIN, KnockVerdict.GIN, KnockVerdict.KNOCK)


@dataclass(frozen=True, slots=True)
class _PossibleDiscard:
    """A possible discard, with the deadwood and verdict for the cards that remain."""

    card: PlayingCard
    deadwood: int
    knock_verdict: KnockVerdict


@dataclass(frozen=True, slots=True)
class KnockOptions:
    """How a player can lay down a hand: the verdict, the best arrangement, and all possible discards.

    `best` is the arrangement after the best discard. If the hand is big gin, it is the arrangement of all cards.
    `discards` starts with the best discard, and is empty if the player has already discarded.
    """

    knock_verdict: KnockVerdict
    best: Arrangement
    discards: tuple[_PossibleDiscard, ...] = ()


def find_knock_options(hand: Sequence[PlayingCard], rule: KnockRule) -> KnockOptions:
    """Return the ways to lay down a hand. The hand may still contain the card to discard.

    >>> from scoring.rules.hand.cards import parse_card
    >>> hand = [parse_card(card) for card in "AS 2S 3S 7H 7D 7C 2D 9C KD KC KH".split()]
    >>> found = find_knock_options(hand, KnockRule(limit=8))
    >>> found.knock_verdict.value, str(found.discards[0].card), found.best.deadwood
    ('knock', '9C', 2)

    Raises:
        InvalidInput: the hand has too few or too many cards, or the same card twice.
    """
    problems = ProblemCollector()
    size = rule.hand_size
    if len(hand) not in (size, size + 1):
        problems.add_bad_value(
            "hand",
            lazy_text(
                "A hand has %(size)s cards, or %(size_2)s before its discard; here are %(hand)s.",
                size=size,
                size_2=size + 1,
                hand=len(hand),
            ),
        )
    problems.raise_if_any()
    whole = arrange_hand(hand, ace=rule.ace)
    if len(hand) == size:
        return KnockOptions(classify_knock(whole.deadwood, rule), whole)
    held, melds = combine_card_bits(hand), get_meld_lookup_tables(rule.ace)
    counts = [(card, melds.compute_least_deadwood(held ^ get_card_bit(card))) for card in hand]
    possible = [_PossibleDiscard(card, deadwood, classify_knock(deadwood, rule)) for card, deadwood in counts]
    discards = tuple(sorted(possible, key=lambda discard: discard.deadwood))
    if rule.allows_big_gin and whole.deadwood == 0:
        return KnockOptions(KnockVerdict.BIG_GIN, whole, discards)
    thrown = discards[0].card
    best = arrange_hand([card for card in hand if card != thrown], ace=rule.ace)
    return KnockOptions(discards[0].knock_verdict, best, discards)


def classify_knock(deadwood: int, rule: KnockRule) -> KnockVerdict:
    """Return the verdict on a hand with this deadwood after the discard.

    The verdict is gin, a knock, or the reason why the hand cannot be laid down. It is `NO_UP_CARD` if the hand has
    deadwood and the knock limit is unknown.
    """
    if deadwood == 0:
        return KnockVerdict.GIN
    if rule.requires_gin:
        return KnockVerdict.ACE_REQUIRES_GIN
    if rule.limit is None:
        return KnockVerdict.NO_UP_CARD
    return KnockVerdict.KNOCK if deadwood <= rule.limit else KnockVerdict.TOO_HIGH
