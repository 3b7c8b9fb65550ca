"""The kinds of stage there are, and what the program has to know of each before anything is played: the only list."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class StageKind(StrEnum):
    """`RECORD`, `FIXED`: paired at the desk as players finish. `SWISS`: round by round. `ROUND_ROBIN`: in groups.

    `TABLES`: rounds at tables. `ROTATION`, `COURT_WHIST`: two sides turn against each other.
    """

    RECORD = "record"
    FIXED = "fixed"
    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"
    PLAY_OFF = "play-off"
    SINGLE = "single-elimination"
    DOUBLE = "double-elimination"
    TABLES = "tables"
    ROTATION = "rotation"
    COURT_WHIST = "court-whist"

    @property
    def traits(self) -> Traits:
        """
        >>> StageKind.SWISS.traits.is_pool, StageKind.SINGLE.traits.makes_pairs, StageKind.TABLES.traits.two_meet
        (True, False, False)
        """
        return KINDS[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What differs between the kinds.

    `name`: what a stage is called where nobody says otherwise. `two_meet`: two play each match, and one of them wins
    it; else it is the only stage of its event. `makes_pairs`: its matches are made one by one, each with its two.
    `is_pool`: everybody plays on, and standings are kept. `at_desk`: paired one by one as players finish. `goes_on`:
    who wins goes on in a bracket. `one_card`: one card, or one for each player, is kept for the whole event, and the
    result follows from it alone. `sides`: what the two sides are usually called, first the one that keeps its seats or
    moves counter-clockwise.
    """

    name: str
    two_meet: bool = True
    makes_pairs: bool = False
    is_pool: bool = False
    at_desk: bool = False
    goes_on: bool = False
    one_card: bool = False
    sides: tuple[str, str] | None = None


KINDS: Final = {
    StageKind.RECORD: Traits(name="Qualifying", makes_pairs=True, is_pool=True, at_desk=True),
    StageKind.FIXED: Traits(name="Qualifying", makes_pairs=True, is_pool=True, at_desk=True),
    StageKind.SWISS: Traits(name="Swiss rounds", makes_pairs=True, is_pool=True),
    StageKind.ROUND_ROBIN: Traits(name="Groups", makes_pairs=True, is_pool=True),
    StageKind.PLAY_OFF: Traits(name="Play-off", makes_pairs=True),
    StageKind.SINGLE: Traits(name="Finals", goes_on=True),
    StageKind.DOUBLE: Traits(name="Finals", goes_on=True),
    StageKind.TABLES: Traits(name="Tables", two_meet=False),
    StageKind.ROTATION: Traits(name="Rounds", two_meet=False, one_card=True, sides=("Guys", "Girls")),
    StageKind.COURT_WHIST: Traits(name="Games", two_meet=False, one_card=True, sides=("Gentlemen", "Ladies")),
}
