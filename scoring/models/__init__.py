"""Models for scoring: score cards, signatures, disputes and rulings, rule sheets, and seals."""

from scoring.models.card import (
    SIDE_LETTERS,
    Card,
    CardClosed,
    CardPosted,
    CardSeat,
    ClosingTakenBack,
    Cut,
    HandCheck,
    NewDeck,
    SheetLine,
    Signature,
    UpCard,
    make_sides_key,
)
from scoring.models.dispute import (
    Appeal,
    AppealDecided,
    Committee,
    ConductPenalty,
    ConductPenaltyLifted,
    DirectorCall,
    DirectorCallAnswered,
    Dispute,
    DisputeDropped,
    DisputeFacts,
    Evidence,
    RegisterNames,
    Ruling,
    RulingRefused,
    TotalsAnnounced,
)
from scoring.models.rule_sheet import CardTerms, RuleSheet, RuleSheetFrozen, StaffEntry, StaffEntryDecided
from scoring.models.seal import CardSeal, CardVersion, EarlierKey, SealKey
