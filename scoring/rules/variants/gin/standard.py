"""Standard gin as in most books: knock with ten or less, 100 points, big gin, boxes, game bonus, doubled shutouts."""

from typing import ClassVar

from scoring.rules.book.options import Option, preset
from scoring.rules.book.rulebook import Rulebook
from scoring.rules.hand.terms import ACE_IS_ONE, GIN_OPTIONS, SHUTOUT_DOUBLES
from scoring.rules.variants.gin.two_sided import TwoSidedGin
from tournament.said import worded


class Standard(TwoSidedGin):
    name = "standard"
    title = worded("Standard gin")
    about = worded(
        "Two players to 100, knocking with ten or fewer; boxes, a game bonus and shutouts are settled at the end."
    )
    rulebook = Rulebook(
        worded("Standard gin"),
        summary=(
            worded("Ten cards each; sets of three or four of a rank, runs of three or more in a suit, ace low."),
            worded(
                "A player may knock with no more unmatched points than the knock limit; the up card does not limit it."
            ),
            worded(
                "A knock wins with strictly fewer points after lay-offs, and scores the difference. "
                "Otherwise it is an undercut: the opponent scores the difference and the bonus."
            ),
            worded(
                "Gin and big gin (eleven matched cards, where it is played) score the opponent's unmatched "
                "points and the bonus; nothing can be laid off."
            ),
            worded("When the fiftieth card has been drawn the hand is dead."),
            worded(
                "The first side at the target wins. Boxes, the bonus for the game and a shutout are settled after that."
            ),
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
