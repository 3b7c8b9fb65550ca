"""The models of scoring: score cards, signatures, disputes and rulings, rule sheets, and seals."""

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
from scoring.models.clocks import CardTerms, StaffEntry, StaffEntryDecided
from scoring.models.director_call import DirectorCall, DirectorCallAnswered
from scoring.models.dispute import (
    Appeal,
    AppealDecided,
    Committee,
    ConductPenalty,
    ConductPenaltyLifted,
    Dispute,
    DisputeDropped,
    DisputeFacts,
    Evidence,
    RegisterNames,
    Ruling,
    RulingRefused,
    TotalsAnnounced,
)
from scoring.models.keeping import HandCheck, NewDeck, UpCard
from scoring.models.rule_sheet import RuleSheet, RuleSheetFrozen
from scoring.models.seal import CardSeal, CardVersion, EarlierKey, SealKey
