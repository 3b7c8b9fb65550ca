"""What needs attention, one thing each; and what of it the next step depends on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from tournament.models import Event
from tournament.setup.words import NextStep, needed_for


class Open(StrEnum):
    """What can be open at an event."""

    APPROVAL = "approval"
    WAITING_LIST = "waiting-list"
    UNPAID = "unpaid"
    PLAYS_UNPAID = "plays-unpaid"
    """An entrant who owes money, and whom the director plays anyway."""
    ABSENT = "absent"
    SEEKING = "seeking"
    """A partner is wanted, and the partners are not drawn."""
    PARTNERS_DRAWN = "partners-drawn"
    """A draw of partners is made that only staff can see."""
    SIDELESS = "sideless"
    SEAL = "seal"
    """The list has changed since it was sealed, or was never sealed."""
    SEEDS = "seeds"
    DRAWN = "drawn"
    """A draw is made that only staff can see."""
    LATE = "late"
    """An entry that is checked in and in no match, while it can still join what is played."""
    UNPLACED = "unplaced"
    """An entry that is checked in, and nothing is left that it could join."""
    CLASH = "clash"
    """A player called to two tables, or a table used by two events."""
    COUNT = "count"
    """A count of the money that waits for a second signature, or a drawer that is not counted."""
    CALL = "call"
    RULING = "ruling"
    CHANGED_RULING = "changed-ruling"
    CONFIRM = "confirm"
    """An entry that a second official has to confirm."""
    AGAINST = "against-result"
    """A card that disagrees with the result."""
    TABLE = "table"
    CARD = "card"
    """A card whose end nobody has decided, or that takes very long."""
    UNSIGNED = "unsigned"
    NOT_POSTED = "not-posted"
    CORRECTION = "correction-period"
    CARD_TOLD = "card-told"
    """Messages of the card provider that a director has to settle."""
    HAND_BACK = "hand-back"
    PRIZE = "prize"
    PAID_WRONG = "paid-wrong"
    SIDE_POOL = "side-pool"
    """A side pool with money that nobody has won, though the event is finished."""
    WITHHELD = "withheld"
    """Taxes withheld from prizes that were not sent on, though the event is finished."""
    SPLIT = "split"
    """Partners agreed on a split that does not fit who plays now."""
    DAY_OPEN = "day-open"
    """A day that was closed and opened again, and is not closed since."""
    JOB = "job"
    MAIL = "mail"
    """Emails that could not be sent, and nobody has called these players."""
    TO_CALL = "to-call"
    """The event is called off, and players without an email do not know it yet."""
    LINK = "link"
    """A player has lost their private link, and waits for the desk's approval."""


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """One thing that needs attention: in words, since when (None: not known), and the page that settles it.

    `count` things of this kind are in it. `cents` is the amount that it is about (0: none), shown after the words.
    `ident` is the match that the page is about, `token` the card, `job` the job, `message` the message; `query` how its
    form is filled in; `act` the words of its button, `until` when it is over by itself. `asked_by` is who alone it
    concerns, besides the directors (None: everybody).
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
    """All that the next step follows from.

    `setup_left` is the first step of the setup that was not saved (empty: nothing is left). `entered` are those who
    would be drawn. `play` is what the kind of the current stage asks for next, `is_decided` that nothing is to be
    played any more, and `open` how many of each kind are open.
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
"""Cards that count, by their players, with the moment when each is final."""

State = Event.State
