"""The rows of the middle app: who meets whom."""

from pairing.models.draw import AvoidPair, Commitment, Draw, DrawPosted, DrawTakenBack
from pairing.models.match import Match, MatchResult, TableCall

__all__ = [
    "AvoidPair",
    "Commitment",
    "Draw",
    "DrawPosted",
    "DrawTakenBack",
    "Match",
    "MatchResult",
    "TableCall",
]
