"""The rows of the highest app: how a meeting is scored and signed."""

from scoring.models.card import Card, CardPosted, Cut, SheetLine, Signature
from scoring.models.rule_sheet import RuleSheet, RuleSheetFrozen

__all__ = ["Card", "CardPosted", "Cut", "RuleSheet", "RuleSheetFrozen", "SheetLine", "Signature"]
