"""The models of the pairing app."""

from pairing.models.draw import (
    AvoidPair,
    AvoidPairEnded,
    ClubsApart,
    Commitment,
    Draw,
    DrawPosted,
    DrawTakenBack,
    DrawTermsSaid,
)
from pairing.models.late import LateEntry, LateEntryTakenBack
from pairing.models.match import Match, MatchKept, MatchResult, TableCall
from pairing.models.partners import PartnerDraw, PartnerDrawPosted, PartnerDrawTakenBack, PartnerSeal
from pairing.models.seating import MatchSeat, RulesAtTables, Seating, SeatingPosted, SeatingTakenBack
from pairing.models.stage import (
    DeskSettings,
    Hold,
    HoldEnded,
    Pairing,
    PairingTakenBack,
    Stage,
    StageEntry,
    StageLots,
    StageSeal,
    StageTakenBack,
)
