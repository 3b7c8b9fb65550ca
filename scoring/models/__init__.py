"""The rows of the highest app: how a meeting is scored and signed."""

from scoring.models.card import Card, CardPosted, Cut, SheetLine, Signature
from scoring.models.director_call import DirectorCall, DirectorCallAnswered
from scoring.models.rule_sheet import RuleSheet, RuleSheetFrozen

__all__ = [
    "Card",
    "CardPosted",
    "Cut",
    "DirectorCall",
    "DirectorCallAnswered",
    "RuleSheet",
    "RuleSheetFrozen",
    "SheetLine",
    "Signature",
]
