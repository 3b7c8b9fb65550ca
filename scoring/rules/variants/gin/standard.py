"""Gin as most books have it: knock with ten or less, 100 points, big gin, boxes, game bonus, a shut-out doubles."""

from typing import ClassVar

from scoring.rules.book.options import Option, preset
from scoring.rules.book.rulebook import Rulebook
from scoring.rules.hand.terms import ACE_IS_ONE, GIN_OPTIONS, SHUTOUT_DOUBLES
from scoring.rules.variants.gin.two_sided import TwoSidedGin


class Standard(TwoSidedGin):
    name = "standard"
    title = "Standard gin"
    about = "Two players to 100, knocking with ten or fewer; boxes, a game bonus and shut-outs are settled at the end."
    rulebook = Rulebook(
        "Standard gin",
        summary=(
            "Ten cards each; sets of three or four of a rank, runs of three or more in a suit, ace low.",
            "A player may knock with no more unmatched points than the knock limit; the up card does not limit it.",
            "A knock wins with strictly fewer points after lay-offs, and scores the difference. Otherwise it is an"
            " undercut: the opponent scores the difference and the bonus.",
            "Gin and big gin (eleven matched cards, where it is played) score the opponent's unmatched points and the"
            " bonus; nothing can be laid off.",
            "When the fiftieth card has been drawn the hand is dead.",
            "The first side at the target wins. Boxes, the bonus for the game and a shut-out are settled after that.",
        ),
    )
    options: ClassVar[tuple[Option, ...]] = preset(
        GIN_OPTIONS,
        {},
        target=100,
        knock=10,
        ace=ACE_IS_ONE,
        big_gin_bonus=31,
        box_bonus=25,
        game_bonus=100,
        shutout=SHUTOUT_DOUBLES,
    )
