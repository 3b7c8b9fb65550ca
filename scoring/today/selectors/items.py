"""Items that need attention, and the facts that the next step is computed from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from tournament.models import Event
from tournament.setup.words import NextStep, needed_for


class Open(StrEnum):
    """The kinds of things that can be open in an event."""

    APPROVAL = "approval"
    WAITING_LIST = "waiting-list"
    UNPAID = "unpaid"
    PLAYS_UNPAID = "plays-unpaid"
    """An entrant who owes money, but whom the director lets play."""
    ABSENT = "absent"
    SEEKING = "seeking"
    """Entrants who want a partner while the partners are not drawn."""
    PARTNERS_DRAWN = "partners-drawn"
    """A draw of partners that only staff can see."""
    SIDELESS = "sideless"
    SEAL = "seal"
    """A list of entrants that changed since it was sealed, or was never sealed."""
    SEEDS = "seeds"
    DRAWN = "drawn"
    """A draw that only staff can see."""
    LATE = "late"
    """An entry that is checked in but in no match, and can still join."""
    UNPLACED = "unplaced"
    """An entry that is checked in, but has nothing left to join."""
    CLASH = "clash"
    """A player called to two tables, or a table used by two events."""
    COUNT = "count"
    """A count of the money that needs a second signature, or a drawer that is not counted."""
    CALL = "call"
    RULING = "ruling"
    CHANGED_RULING = "changed-ruling"
    CONFIRM = "confirm"
    """An entry by staff that a second official has to confirm."""
    AGAINST = "against-result"
    """A card that disagrees with the result."""
    TABLE = "table"
    CARD = "card"
    """A card whose end is not decided, or that takes very long."""
    UNSIGNED = "unsigned"
    NOT_POSTED = "not-posted"
    CORRECTION = "correction-period"
    CARD_TOLD = "card-told"
    """Messages of the card provider that a director has to settle."""
    HAND_BACK = "hand-back"
    PRIZE = "prize"
    PAID_WRONG = "paid-wrong"
    SIDE_POOL = "side-pool"
    """A side pool of a finished event with money that nobody has won."""
    WITHHELD = "withheld"
    """Taxes of a finished event that were withheld but not sent to the tax office."""
    SPLIT = "split"
    """A split that the partners agreed on, but that does not fit the current players."""
    DAY_OPEN = "day-open"
    """A closed day that was reopened, and is not closed again."""
    JOB = "job"
    MAIL = "mail"
    """Emails that could not be sent to players whom nobody has called."""
    TO_CALL = "to-call"
    """Players without an email who do not know yet that the event is called off."""
    LINK = "link"
    """A player who lost their private link and needs the desk's approval."""


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """A thing that needs attention, in words, with the page that settles it. `since` is None if it is unknown.

    An item covers `count` things of its kind. `cents` is an amount to show after the words, or 0. `ident` is the match
    of the page, `token` its card, `job` its job and `message` its message. `query` fills in the page's form, and `act`
    labels its button. `until` is the time at which the item ends by itself. `asked_by` is the only user it concerns
    besides directors, or None for everybody.
    """

    code: Open
    text: str
    page: str
    since: datetime | None = None
    cents: int = 0
    ident: str = ""
    token: str = ""
    query: str = ""
    act: str = ""
    count: int = 1
    job: int = 0
    message: int = 0
    asked_by: int | None = None
    until: datetime | None = None

    def is_for(self, user: int | None, acts: frozenset[str]) -> bool:
        return self.asked_by is None or self.asked_by == user or "direct" in acts

    def can_be_settled_by(self, acts: frozenset[str]) -> bool:
        return needed_for(self.page) in acts


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFacts:
    """The facts that the next step is computed from.

    `setup_left` is the first step of the setup that was not saved, if any. `entered` counts the entries in the draw.
    `play` is the next step by the kind of the current stage. `is_decided` means that nothing is left to play. `open`
    counts the open items of each kind.
    """

    state: str
    setup_left: str = ""
    entered: int = 0
    play: NextStep | None = None
    is_decided: bool = False
    open: Mapping[Open, int] = field(default_factory=dict)

    def count(self, code: Open) -> int:
        return self.open.get(code, 0)


Finals = tuple[tuple[str, datetime], ...]
"""Cards that count, as the names of their players and the time at which the card is final."""

State = Event.State
