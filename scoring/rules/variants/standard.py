"""Gin as most books have it: knock with ten or less, 100 points, big gin, boxes, game bonus, a shut-out doubles."""

from typing import ClassVar

from scoring.rules.options import Option, preset
from scoring.rules.rulebook import Rulebook
from scoring.rules.terms import ACE_IS_ONE, GIN_OPTIONS, SHUTOUT_DOUBLES
from scoring.rules.two_sided import TwoSidedGin


class Standard(TwoSidedGin):
    name = "standard"
    title = "Standard gin"
    rulebook = Rulebook("Standard gin")
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
