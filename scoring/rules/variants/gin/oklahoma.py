"""Oklahoma gin: the up card sets the knock limit, an ace is played for gin, and spades double the hand."""

from typing import ClassVar

from scoring.rules.book.options import Option, preset
from scoring.rules.book.rulebook import Rulebook
from scoring.rules.hand.terms import GIN_OPTIONS, SHUTOUT_DOUBLES
from scoring.rules.variants.gin.two_sided import TwoSidedGin
from tournament.said import worded


class Oklahoma(TwoSidedGin):
    name = "oklahoma"
    title = worded("Oklahoma gin")
    about = worded("Two players; the up card limits the knock, and a spade turned up doubles the hand.")
    rulebook = Rulebook(
        worded("Oklahoma gin"),
        summary=(
            worded(
                "Ten cards each; the next card is turned up, and its value is the most one may knock with: "
                "pips at face, tens and court cards ten."
            ),
            worded("An ace up: the hand is played for gin."),
            worded("A spade up: the hand counts double, bonuses included. It is still one box."),
            worded(
                "A knock wins with strictly fewer points after lay-offs, and scores the difference. "
                "Otherwise it is an undercut: the opponent scores the difference and the bonus."
            ),
            worded("Gin scores the opponent's unmatched points and the bonus; nothing can be laid off."),
            worded(
                "The first side at the target wins. Boxes, the bonus for the game and a shutout are settled after that."
            ),
        ),
    )
    options: ClassVar[tuple[Option, ...]] = preset(
        GIN_OPTIONS, {}, spades_double=True, box_bonus=25, game_bonus=100, shutout=SHUTOUT_DOUBLES
    )
