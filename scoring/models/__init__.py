"""The rows of the highest app: how a meeting is scored and signed."""

from scoring.models.card import SIDES, Card, CardPosted, CardSeat, Cut, SheetLine, Signature, sides_key
from scoring.models.director_call import DirectorCall, DirectorCallAnswered
from scoring.models.rule_sheet import RuleSheet, RuleSheetFrozen

__all__ = [
    "SIDES",
    "Card",
    "CardPosted",
    "CardSeat",
    "Cut",
    "DirectorCall",
    "DirectorCallAnswered",
    "RuleSheet",
    "RuleSheetFrozen",
    "SheetLine",
    "Signature",
    "sides_key",
]
