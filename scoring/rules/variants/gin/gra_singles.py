"""The singles game of the Gin Rummy Association's tournament rules of 2012.

The rules are silent on the points a game, big gin, spades, boxes, game bonus and shutouts: the director sets them,
and the published rule sheet says so. The defaults play none of them (partnership 9: “no bonus for boxes, blitzes, or
spades”).
"""

from typing import ClassVar

from scoring.rules.book.options import Option, preset
from scoring.rules.book.rulebook import Rulebook
from scoring.rules.hand.terms import GIN_OPTIONS
from scoring.rules.variants.gin.two_sided import GRA_OPTIONS, GRA_TOPICS, TwoSidedGin
from tournament.said import worded


class GraSingles(TwoSidedGin):
    name = "gra-singles"
    title = worded("Gin Rummy Association, singles")
    about = worded("Two players, hand by hand to a target; the up card limits the knock, and an ace is played for gin.")
    rulebook = Rulebook(
        worded("Gin Rummy Association, Gin Rummy Rules for Tournament Play, 2012"),
        GRA_TOPICS,
        summary=(
            worded("Cut for deal each new game: low card deals first and keeps score (rule 2)."),
            worded(
                "The 21st card is turned up, and its value is the most one may knock with. An ace: the hand "
                "is played for gin. The scorer records the up card at once (rule 4)."
            ),
            worded(
                "A knock wins with strictly fewer points after lay-offs, and scores the difference. With an "
                "equal or higher count it is an undercut: the opponent scores the difference and the bonus "
                "(rule 6)."
            ),
            worded(
                "Gin scores the opponent's unmatched points and the bonus. At the fiftieth card the hand is "
                "dead (rule 6)."
            ),
            worded(
                "At the end of a hand, ten points for each card missing; additional cards count their value (rule 8)."
            ),
            worded(
                "A knock over the up card is played open, unless the opponent accepts it with a count at the "
                "knock card or lower (rule 9)."
            ),
            worded("A count agreed by the players and recorded stands (rule 16)."),
        ),
    )
    options: ClassVar[tuple[Option, ...]] = preset(GIN_OPTIONS, GRA_OPTIONS)
