"""The Court Whist card: seven games of four hands, with the trump and the worth of each hand.

Source: Metzker Book of Card Game Rules 2026, “Court Whist” and its score card, pages 29–30; CONTRACTS.md, court-whist.
"""

from dataclasses import dataclass
from typing import Final

from scoring.rules.hand.terms import MOST_POINTS
from tournament.said import joined, worded, worded_plural

HANDS_A_GAME: Final = 4
TRICKS: Final = 13
FACE_CARDS: Final = 12
PARTNERS: Final = worded("Partners")
SIT_OUT_WORTH: Final = 8
"""The score for a hand sat out, the same in every game, even the doubled one.

“Sit outs (if necessary) will take a score of 8 at each hand.”
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """A number that a game counts besides the tricks: its field, its words, the worth of each, and the most."""

    field: str
    label: str
    worth: int
    words: str
    most: int
    is_part_of_tricks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WhistGame:
    """One of the seven games, in the words of the printed card. `trumps` has the trump of each hand."""

    number: int
    name: str
    partners: str = PARTNERS
    heading: str = ""
    trumps: tuple[str, str, str, str] = (
        worded("Spades trump"),
        worded("Hearts trump"),
        worded("Clubs trump"),
        worded("Diamonds trump"),
    )
    possible: str = "13"
    trick_worth: int = 1
    counts_opponents: bool = False
    extra: Extra | None = None

    @property
    def title(self) -> str:
        """The heading of the game on the card.

        >>> GAMES[3].title
        'Game 3 – Conspiracy – No partners'
        """
        return worded(
            "Game %(number)s – %(name)s – %(partners)s", number=self.number, name=self.name, partners=self.partners
        )

    @property
    def in_words(self) -> str:
        """The rule of the game in words.

        >>> GAMES[4].in_words
        '2 extra for each trick taken by lady. Spades trump, Hearts trump, Clubs trump, Diamonds trump.'
        """
        partners = [] if self.partners == PARTNERS else [self.partners]
        said = [*partners, self.heading, joined(", ", dict.fromkeys(self.trumps))]
        return worded("%(sentences)s.", sentences=joined(". ", filter(None, said)))


@dataclass(frozen=True, slots=True, kw_only=True)
class WhistHand:
    """A hand on a player's card.

    `tricks` are those of their side (their own in game 3). `extra` is the other number that the game counts. A hand
    sat out has neither.
    """

    game: int
    hand: int
    tricks: int = 0
    extra: int = 0
    sat_out: bool = False

    @property
    def place(self) -> tuple[int, int]:
        return self.game, self.hand


GAMES: Final = {
    game.number: game
    for game in (
        WhistGame(
            number=1, name=worded("Coronation"), heading=worded("Total tricks taken"),
            trumps=(
                worded("Trump declared by owner of King-Spades"), worded("Trump declared by owner of King-Hearts"),
                worded("Trump declared by owner of King-Clubs"), worded("Trump declared by owner of King-Diamonds"),
            ),
        ),
        WhistGame(
            number=2, name=worded("Prosperity"), heading=worded("Each trick counts as double"), possible="26",
            trick_worth=2,
        ),
        WhistGame(
            number=3, name=worded("Conspiracy"), partners=worded("No partners"),
                heading=worded("Each player scores own tricks only"),
            trumps=(worded("Last card is turned up for trump"),) * 4,
        ),
        WhistGame(
            number=4, name=worded("Chivalry"), heading=worded("2 extra for each trick taken by lady"),
            possible=worded("13 to 39"),
            extra=Extra(field="lady_tricks", label=worded("Tricks taken by the lady"), worth=2,
                words=worded("by the lady"),
                        most=TRICKS, is_part_of_tricks=True),
        ),
        WhistGame(
            number=5, name=worded("Revolution"), heading=worded("Each side scores opponents' tricks"),
            trumps=(worded("No trump"),) * 4, counts_opponents=True,
        ),
        WhistGame(
            number=6, name=worded("Confiscation"),
            heading=worded(
                "Each player speaking after cards dealt forfeits 3 points, deducted from the speaker's total"
            ),
            extra=Extra(field="spoken", label=worded("Times the player spoke"), worth=-3, words=worded("spoken"),
                        most=MOST_POINTS),
        ),
        WhistGame(
            number=7, name=worded("Restoration"),
                heading=worded("Each face card is a point in addition to the tricks"), possible="25",
            extra=Extra(field="faces", label=worded("Face cards taken"), worth=1, words=worded("face cards"),
                most=FACE_CARDS),
        ),
    )
}  # fmt: skip
"""The seven games by number."""

PLACES: Final = tuple((game, hand) for game in GAMES for hand in range(1, HANDS_A_GAME + 1))
"""Every hand of the card in the order of play, as (game, hand)."""


def worth(hand: WhistHand) -> int:
    """Return the points of a hand.

    >>> worth(WhistHand(game=4, hand=1, tricks=7, extra=3)), worth(WhistHand(game=5, hand=1, tricks=4))
    (13, 9)
    >>> worth(WhistHand(game=6, hand=2, tricks=5, extra=2)), worth(WhistHand(game=2, hand=2, sat_out=True))
    (-1, 8)
    """
    game = GAMES[hand.game]
    if hand.sat_out:
        return SIT_OUT_WORTH
    tricks = TRICKS - hand.tricks if game.counts_opponents else hand.tricks
    return game.trick_worth * tricks + (game.extra.worth * hand.extra if game.extra else 0)


def explain_whist(hand: WhistHand) -> str:
    """Return the calculation in words.

    >>> explain_whist(WhistHand(game=4, hand=1, tricks=7, extra=3))
    'Chivalry: 7 tricks, 3 by the lady at 2 each: 13, Court Whist card, game 4'
    >>> explain_whist(WhistHand(game=5, hand=3, tricks=1))
    "Revolution: the opponents' tricks, 13 − 1: 12, Court Whist card, game 5"
    >>> explain_whist(WhistHand(game=6, hand=1, tricks=3, extra=1))
    'Confiscation: 3 tricks, 1 spoken at −3 each: 0, Court Whist card, game 6'
    """
    game = GAMES[hand.game]
    if hand.sat_out:
        return worded(
            "%(name)s: sat out, %(sit_out_worth)s at each hand, Court Whist rules",
            name=game.name,
            sit_out_worth=SIT_OUT_WORTH,
        )
    said = [_counted_tricks(game, hand.tricks)]
    if game.extra:
        said.append(
            worded(
                "%(number)s %(what)s at %(worth)s each",
                number=hand.extra,
                what=game.extra.words,
                worth=_signed(game.extra.worth),
            )
        )
    return worded(
        "%(name)s: %(counted)s: %(hand)s, Court Whist card, game %(game)s",
        name=game.name,
        counted=joined(", ", said),
        hand=_signed(worth(hand)),
        game=hand.game,
    )


def _counted_tricks(game: WhistGame, tricks: int) -> str:
    if game.counts_opponents:
        return worded("the opponents' tricks, %(all)s − %(own)s", all=TRICKS, own=tricks)
    if game.trick_worth != 1:
        return worded_plural(
            "%(number)s trick at %(worth)s each", "%(number)s tricks at %(worth)s each", tricks, worth=game.trick_worth
        )
    return worded_plural("%(number)s trick", "%(number)s tricks", tricks)


def _signed(number: int) -> str:
    return str(number) if number >= 0 else f"−{-number}"
