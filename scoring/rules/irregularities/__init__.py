"""Rule on irregularities under the Gin Rummy Association's rules of 2012.

facts ──read──► IrregularityCase ──decide──► RulingRecommendation: ruling, line, points, choices, penalties, text

Each kind of irregularity declares its possible facts and the function that decides it. Undeclared facts are rejected.
"""

from collections.abc import Mapping
from typing import Final

from scoring.rules.irregularities.case import GRA_RULE_SETS, Irregularity, IrregularityCase
from scoring.rules.irregularities.knocks import FALSE_GIN, IMPROPER_KNOCK, UP_CARD_DISPUTE, UP_CARD_OUT_OF_TURN
from scoring.rules.irregularities.play import (
    AGREED_COUNT_QUESTIONED,
    CONDUCT_OFFENSE,
    DISCARD_RETAKEN,
    FALSE_REPORT,
    GAME_GIVEN_AWAY,
    PLAY_WITHOUT_PAIRING,
    TOUCHED_PILE,
    TWO_CARDS_DRAWN,
    WRONG_CARD_FACE_DOWN,
)
from scoring.rules.irregularities.wrong_count import WRONG_CARD_COUNT

IRREGULARITIES: Final[Mapping[str, Irregularity]] = {
    kind.name: kind
    for kind in (
        UP_CARD_DISPUTE,
        IMPROPER_KNOCK,
        WRONG_CARD_COUNT,
        FALSE_GIN,
        TWO_CARDS_DRAWN,
        UP_CARD_OUT_OF_TURN,
        WRONG_CARD_FACE_DOWN,
        TOUCHED_PILE,
        DISCARD_RETAKEN,
        AGREED_COUNT_QUESTIONED,
        FALSE_REPORT,
        PLAY_WITHOUT_PAIRING,
        GAME_GIVEN_AWAY,
        CONDUCT_OFFENSE,
    )
}
"""All kinds of irregularities, keyed by name and in the order of CONTRACTS.md, adjudicate."""

__all__ = ["GRA_RULE_SETS", "IRREGULARITIES", "Irregularity", "IrregularityCase"]
