"""The models of the tournament app: players, entries, money, and the log of all writes."""

from tournament.models.accounts import SignInLink, StaffRole, User
from tournament.models.ledger import (
    BankTransfer,
    CardEvent,
    CardPayment,
    CashMoved,
    DayClose,
    DayCount,
    DayOpened,
    DayReopened,
    Drawer,
    DrawerClosed,
    EndedEarly,
    EventMoney,
    Finish,
    LedgerLine,
    Movement,
    PaidOut,
    Posting,
    RefundSource,
    TransferMatch,
    Withholding,
)
from tournament.models.message import Message, MessageCopy
from tournament.models.registration import (
    BankList,
    Entrant,
    EntrantFact,
    ImportBatch,
    ImportRow,
    LinkAnswer,
    LinkRequest,
    Member,
    Merge,
    MergeUndone,
    Player,
    PlayerCorrection,
)
from tournament.models.side_pools import (
    EventExtra,
    PayoutSignature,
    SidePool,
    SidePoolEntry,
    SidePoolPayout,
    SidePoolResult,
)
from tournament.models.system import (
    AuditEntry,
    AuditHead,
    Club,
    FilePart,
    IdempotencyKey,
    Installation,
    Job,
    LogSeal,
    RowChange,
    SecretDigest,
    StoredTask,
    TournamentImport,
)
from tournament.models.topic import TopicVersion
from tournament.models.tournament import Event, EventStep, Tournament
