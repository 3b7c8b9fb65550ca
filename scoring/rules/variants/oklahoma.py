"""Oklahoma gin: the up card sets the knock limit, an ace is played for gin, and spades double the hand."""

from typing import ClassVar

from scoring.rules.options import Option, preset
from scoring.rules.rulebook import Rulebook
from scoring.rules.terms import GIN_OPTIONS, SHUTOUT_DOUBLES
from scoring.rules.two_sided import TwoSidedGin


class Oklahoma(TwoSidedGin):
    name = "oklahoma"
    title = "Oklahoma gin"
    rulebook = Rulebook("Oklahoma gin")
    options: ClassVar[tuple[Option, ...]] = preset(
        GIN_OPTIONS,
        {},
        spades_double=True,
        box_bonus=25,
        game_bonus=100,
        shutout=SHUTOUT_DOUBLES,
    )
