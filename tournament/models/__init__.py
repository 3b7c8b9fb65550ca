"""The models of the tournament app: players, entries, money, and the log of all writes."""

from tournament.models.accounts import SignInLink, StaffRole, User
from tournament.models.audit import AuditEntry, AuditHead, IdempotencyKey, LogSeal
from tournament.models.entrant import Entrant, EntrantFact, LinkAnswer, LinkRequest, Member
from tournament.models.event import Event, EventStep
from tournament.models.files import FilePart
from tournament.models.imports import BankList, ImportBatch, ImportRow
from tournament.models.installation import SecretDigest
from tournament.models.job import Job
from tournament.models.message import Message, MessageCopy
from tournament.models.money.closing import DayClose, DayCount, DayOpened, DayReopened
from tournament.models.money.drawer import CashMoved, Drawer, DrawerClosed
from tournament.models.money.extra import EventExtra
from tournament.models.money.ledger import EndedEarly, Finish, LedgerLine, PaidOut, RefundSource
from tournament.models.money.movement import EventMoney, Movement, Posting
from tournament.models.money.paying import BankTransfer, CardEvent, CardPayment, TransferMatch
from tournament.models.money.side_pool import PayoutSignature, SidePool, SidePoolEntry, SidePoolPayout, SidePoolResult
from tournament.models.money.withholding import Withholding
from tournament.models.player import Merge, MergeUndone, Player, PlayerCorrection
from tournament.models.topic import TopicVersion
from tournament.models.tournament import Tournament
