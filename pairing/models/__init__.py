"""The rows of the middle app: who meets whom."""

from pairing.models.draw import AvoidPair, AvoidPairEnded, Commitment, Draw, DrawPosted, DrawTakenBack
from pairing.models.match import Match, MatchResult, TableCall
from pairing.models.seating import MatchSeat, RulesAtTables, Seating, SeatingPosted, SeatingTakenBack

__all__ = [
    "AvoidPair",
    "AvoidPairEnded",
    "Commitment",
    "Draw",
    "DrawPosted",
    "DrawTakenBack",
    "Match",
    "MatchResult",
    "MatchSeat",
    "RulesAtTables",
    "Seating",
    "SeatingPosted",
    "SeatingTakenBack",
    "TableCall",
]
