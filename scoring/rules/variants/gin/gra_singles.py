"""The singles game of the Gin Rummy Association's tournament rules of 2012.

The rules are silent on the points for a game, big gin, spades, boxes, game bonus and shutouts. The director sets them,
and the published rule sheet says so. The defaults play none of them (partnership 9: “no bonus for boxes, blitzes, or
spades”).
"""

from typing import ClassVar

from scoring.rules.book.options import Option, preset
from scoring.rules.book.rulebook import Rulebook
from scoring.rules.hand.terms import GIN_OPTIONS
from scoring.rules.variants.gin.gra_rules import SINGLES_RULES
from scoring.rules.variants.gin.two_sided import GRA_OPTIONS, GRA_TOPICS, TwoSidedGin
from tournament.said import worded


class GraSingles(TwoSidedGin):
    name = "gra-singles"
    title = worded("Gin Rummy Association, singles")
    about = worded("Two players, hand by hand to a target; the up card limits the knock, and an ace is played for gin.")
    rulebook = Rulebook(
        worded("Gin Rummy Association, Gin Rummy Rules for Tournament Play, 2012"),
        GRA_TOPICS,
        summary=SINGLES_RULES,
        is_numbered=True,
    )
    options: ClassVar[tuple[Option, ...]] = preset(GIN_OPTIONS, GRA_OPTIONS)
