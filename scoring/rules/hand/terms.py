"""The terms of a two-sided gin hand: the options of `gra-singles`, `standard` and `oklahoma`.

Source: CONTRACTS.md, tally, “Options and presets”. The defaults here are those of GRA singles 2012. A variant sets its
own with `preset`.
"""

from dataclasses import dataclass
from typing import Final, Self, cast

from scoring.rules.book.options import NamedValue, Numbers, Option, Options
from scoring.rules.hand.cards import PlayingCard
from tournament.said import worded

HAND_SIZE: Final = 10
MISSING_CARD_POINTS: Final = 10
"""The points for each card that a hand lacks (GRA 2012, singles 8)."""
MOST_POINTS: Final = 10**9
"""The largest count, points or bonus. The sum of a million such lines is still exact in every JSON reader."""
MOST_KNOCK: Final = 100
"""The highest knock limit. Ten cards cannot hold more."""

UP_CARD: Final = "up-card"
ACE_FOR_GIN: Final = "gin"
ACE_IS_ONE: Final = "one"
NO_SHUTOUT: Final = "none"
SHUTOUT_DOUBLES: Final = "double"

_BONUS: Final = Numbers(0, MOST_POINTS)

GIN_OPTIONS: Final = (
    Option(
        name="target",
        label=worded("Points a game"),
        brief=worded("Game {}"),
        meaning=worded("The first side at or over it wins the game."),
        default=150,
        numbers=Numbers(1),
    ),
    Option(
        name="knock",
        label=worded("Knock limit"),
        brief=worded("Knock with {} or less"),
        meaning=worded("The most unmatched points a player may knock with."),
        default=UP_CARD,
        named=(NamedValue(UP_CARD, worded("the value of the up card"), worded("Knock with the up card or less")),),
        numbers=Numbers(0, MOST_KNOCK),
        lenient=MOST_KNOCK,
    ),
    Option(
        name="ace",
        label=worded("When the up card is an ace"),
        meaning=worded("Whether the hand must then be played for gin."),
        default=ACE_FOR_GIN,
        named=(
            NamedValue(ACE_FOR_GIN, worded("play for gin"), worded("Ace: gin only")),
            NamedValue(ACE_IS_ONE, worded("it counts one")),
        ),
        lenient=ACE_IS_ONE,
    ),
    Option(
        name="gin_bonus",
        label=worded("Bonus for gin"),
        brief=worded("Gin {}"),
        meaning=worded("Added to the opponent's unmatched points."),
        default=25,
        numbers=_BONUS,
    ),
    Option(
        name="undercut_bonus",
        label=worded("Bonus for an undercut"),
        brief=worded("Undercut {}"),
        meaning=worded("Added to the difference when the knocker is not strictly lower."),
        default=25,
        numbers=_BONUS,
    ),
    Option(
        name="big_gin_bonus",
        label=worded("Bonus for big gin"),
        brief=worded("Big gin {}"),
        meaning=worded("For eleven matched cards, in place of the bonus for gin."),
        default=None,
        named=(NamedValue(None, worded("big gin is not played")),),
        numbers=_BONUS,
        lenient=0,
    ),
    Option(
        name="spades_double",
        label=worded("Spades double"),
        meaning=worded("An up card of spades doubles the hand, bonuses included."),
        default=False,
        named=(NamedValue(False, worded("no")), NamedValue(True, worded("yes"), worded("Spades double"))),
    ),
    Option(
        name="box_bonus",
        label=worded("Bonus for each box"),
        brief=worded("Box {}"),
        meaning=worded("For each hand won, in the settlement only; it never decides the winner."),
        default=0,
        numbers=_BONUS,
    ),
    Option(
        name="game_bonus",
        label=worded("Bonus for the game"),
        brief=worded("Game bonus {}"),
        meaning=worded("For the winner, in the settlement only."),
        default=0,
        numbers=_BONUS,
    ),
    Option(
        name="shutout",
        label=worded("When the loser has no points"),
        meaning=worded("Whether the winner's total is then doubled, in the settlement only."),
        default=NO_SHUTOUT,
        named=(
            NamedValue(NO_SHUTOUT, worded("no extra")),
            NamedValue(SHUTOUT_DOUBLES, worded("the winner's total is doubled"), worded("Shutout ×2")),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class GinTerms:
    """The typed options of a two-sided gin game. `knock` is None if the up card sets the limit."""

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
    def of(cls, options: Options) -> Self:
        """Read the terms from options as `read_options` returns them."""
        number = cast("dict[str, int]", options)
        return cls(
            target=number["target"],
            knock=None if options["knock"] == UP_CARD else number["knock"],
            ace_for_gin=options["ace"] == ACE_FOR_GIN,
            gin_bonus=number["gin_bonus"],
            undercut_bonus=number["undercut_bonus"],
            big_gin_bonus=None if options["big_gin_bonus"] is None else number["big_gin_bonus"],
            spades_double=options["spades_double"] is True,
            box_bonus=number["box_bonus"],
            game_bonus=number["game_bonus"],
            shutout_doubles=options["shutout"] == SHUTOUT_DOUBLES,
        )

    @property
    def plays_big_gin(self) -> bool:
        return self.big_gin_bonus is not None

    @property
    def needs_up_card(self) -> bool:
        """Whether points can depend on the up card."""
        return self.knock is None or self.spades_double

    @property
    def settles(self) -> bool:
        """Whether a complete sheet has a settlement besides its totals."""
        return self.box_bonus > 0 or self.game_bonus > 0 or self.shutout_doubles

    def knock_limit(self, up: PlayingCard | None) -> int | None:
        """Return the most points of a knock under this up card, or None if that is not known."""
        if self.knock is not None:
            return self.knock
        return None if up is None else up.value

    def is_for_gin(self, up: PlayingCard | None) -> bool:
        """Return whether nobody may knock under this up card (GRA 2012, singles 4)."""
        return self.ace_for_gin and up is not None and up.is_ace

    def doubles(self, up: PlayingCard | None) -> bool:
        return self.spades_double and up is not None and up.is_spade
