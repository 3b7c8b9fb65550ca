"""The rows of the highest app: how a meeting is scored and signed."""

from scoring.models.card import (
    SIDES,
    Card,
    CardClosed,
    CardPosted,
    CardSeat,
    ClosingTakenBack,
    Cut,
    SheetLine,
    Signature,
    sides_key,
)
from scoring.models.director_call import DirectorCall, DirectorCallAnswered
from scoring.models.rule_sheet import RuleSheet, RuleSheetFrozen

__all__ = [
    "SIDES",
    "Card",
    "CardClosed",
    "CardPosted",
    "CardSeat",
    "ClosingTakenBack",
    "Cut",
    "DirectorCall",
    "DirectorCallAnswered",
    "RuleSheet",
    "RuleSheetFrozen",
    "SheetLine",
    "Signature",
    "sides_key",
]
