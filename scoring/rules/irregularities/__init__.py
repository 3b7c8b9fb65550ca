"""Rule on irregularities under the Gin Rummy Association's rules of 2012.

facts ──read──► IrregularityCase ──decide──► RulingRecommendation: ruling, line, points, choices, penalties, text

Each kind of irregularity declares its possible facts and the function that decides it. Undeclared facts are rejected.
"""

from collections.abc import Mapping
from typing import Final

from scoring.rules.irregularities.case import GRA_RULE_SETS, Irregularity, IrregularityCase
from scoring.rules.irregularities.knocks import FALSE_GIN, IMPROPER_KNOCK, UP_CARD_DISPUTE, UP_CARD_OUT_OF_TURN
from scoring.rules.irregularities.play import (
    CONDUCT,
    COUNT_AFTER_AGREEMENT,
    DREW_TWO,
    FALSE_REPORT,
    GAVE_GAME_AWAY,
    RETAKE_DISCARD,
    TOUCHED_PILE,
    UNMATCHED_PLAY,
    WRONG_CARD_DOWN,
)
from scoring.rules.irregularities.wrong_count import WRONG_COUNT

IRREGULARITIES: Final[Mapping[str, Irregularity]] = {
    kind.name: kind
    for kind in (
        UP_CARD_DISPUTE,
        IMPROPER_KNOCK,
        WRONG_COUNT,
        FALSE_GIN,
        DREW_TWO,
        UP_CARD_OUT_OF_TURN,
        WRONG_CARD_DOWN,
        TOUCHED_PILE,
        RETAKE_DISCARD,
        COUNT_AFTER_AGREEMENT,
        FALSE_REPORT,
        UNMATCHED_PLAY,
        GAVE_GAME_AWAY,
        CONDUCT,
    )
}
"""All kinds of irregularities, keyed by name and in the order of CONTRACTS.md, adjudicate."""

__all__ = ["GRA_RULE_SETS", "IRREGULARITIES", "Irregularity", "IrregularityCase"]
