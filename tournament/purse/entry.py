"""The state of an entry, computed from its recorded facts, and the order of the waiting list.

    entered ──approvals given, a place free──► in
       │  └─no place free──► waiting ──promoted──► (approvals) ──► in
       ├─refused──► refused          ├─withdrawn──► withdrawn      └─left out, no-show, disqualified──► removed
       └──────────────── reinstated: all of these can be undone ───────────────────┘

In an event for pairs, a player can enter without a partner. The entry is then `seeking`, and becomes `joined` once it
is part of a pair, which is an entry with its own number. If the pair is split, it is `parted`, and both players are
seeking again. An entry that still needs approval already occupies a place, so a later entry never overtakes it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from tournament.errors import DomainError
from tournament.lazy_text import lazy_text


class EntryState(StrEnum):
    APPLIED = "applied"
    WAITING = "waiting"
    IN = "in"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    REMOVED = "removed"
    SEEKING = "seeking"
    JOINED = "joined"
    PARTED = "parted"


STATES_OCCUPYING_PLACES: Final = frozenset({EntryState.APPLIED, EntryState.IN, EntryState.SEEKING})
"""States in which an entry occupies a place before the draw."""

_REMOVING_KINDS: Final = frozenset({"left-out", "no-show", "eliminated", "disqualified"})
_NEUTRAL_KINDS: Final = frozenset({"substituted", "side", "site", "pool"})


@dataclass(frozen=True, slots=True)
class EntryStatusChange:
    """A recorded fact about an entry, such as an approval or a withdrawal.

    `role` is the role that approved or rejected the entry. `drawn` marks a withdrawal after the draw. The entry then
    stays in the bracket, and its opponents win by walkover.
    """

    kind: str
    role: str = ""
    reason: str = ""
    asked: tuple[str, ...] = ()
    since: str = ""
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class EntrySummary:
    """An entry's state after all its recorded facts.

    - `asked`: the roles whose approval the entry needs. `given`: those that approved.
    - `why`: the reason for the last rejection, withdrawal or removal.
    - `waiting_since`: the time (ISO, UTC) that orders the waiting list, or empty if the entry is not on it.
    - `left_over`: whether the entry got no partner in the last partner draw.
    """

    asked: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()
    refused: bool = False
    withdrawn: bool = False
    removed: bool = False
    waiting_since: str = ""
    arrived: bool = False
    kept: bool = False
    seeking: bool = False
    joined: bool = False
    parted: bool = False
    left_over: bool = False
    why: str = ""

    @property
    def missing_roles(self) -> tuple[str, ...]:
        return tuple(role for role in self.asked if role not in self.given)

    @property
    def state(self) -> EntryState:
        if self.withdrawn:
            return EntryState.WITHDRAWN
        if self.refused:
            return EntryState.REFUSED
        if self.removed:
            return EntryState.REMOVED
        if self.parted or self.joined:
            return EntryState.PARTED if self.parted else EntryState.JOINED
        if "desk" in self.missing_roles:
            return EntryState.APPLIED  # it gets no public place on the waiting list before the desk's approval
        if self.waiting_since:
            return EntryState.WAITING
        if self.missing_roles:
            return EntryState.APPLIED
        return EntryState.SEEKING if self.seeking else EntryState.IN


def summarize_entry(facts: Iterable[EntryStatusChange]) -> EntrySummary:
    """Return the state of an entry that results from its recorded facts, which must be in order.

    >>> asked = EntryStatusChange("entered", asked=("director", "hotel"))
    >>> summarize_entry([asked, EntryStatusChange("approved", "hotel")]).missing_roles
    ('director',)
    >>> approved = [EntryStatusChange("approved", "hotel"), EntryStatusChange("approved", "director")]
    >>> str(summarize_entry([asked, *approved]).state)
    'in'

    Raises:
        DomainError: `no-such-fact`.
    """
    standing = EntrySummary()
    for fact in facts:
        standing = _apply_fact(standing, fact)
    return standing


def _apply_fact(standing: EntrySummary, fact: EntryStatusChange) -> EntrySummary:
    kind = fact.kind
    if kind in _REMOVING_KINDS or (kind == "withdrawn" and fact.drawn):
        return replace(standing, removed=True, kept=False, why=fact.reason)
    if kind == "approved":
        return replace(standing, given=standing.given | {fact.role})
    if kind == "wait-listed":
        return replace(standing, waiting_since=fact.since)
    changes = {
        "entered": {"asked": fact.asked},
        "refused": {"refused": True, "waiting_since": "", "given": standing.given - {fact.role}, "why": fact.reason},
        "withdrawn": {"withdrawn": True, "waiting_since": "", "why": fact.reason},
        "promoted": {"waiting_since": ""},
        "reinstated": {"withdrawn": False, "refused": False, "removed": False, "why": ""},
        "arrived": {"arrived": True},
        "not-arrived": {"arrived": False},
        "kept": {"kept": True, "removed": False, "why": ""},
        "asks": {"seeking": True, "joined": False, "left_over": False},
        "left-over": {"left_over": True},
        "joined": {"joined": True, "left_over": False},
        "parted": {"parted": True, "why": fact.reason},
    }
    if kind in _NEUTRAL_KINDS:
        return standing
    if kind not in changes:
        raise DomainError("no-such-fact", lazy_text("“%(kind)s” is nothing that happens to an entry.", kind=kind))
    return replace(standing, **changes[kind])  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class WaitingListEntry:
    """An entry on the waiting list, with the time it joined the list (ISO, UTC) and whether it has paid in full."""

    number: int
    since: str
    settled: bool = False


def sort_waiting_list(waiting: Iterable[WaitingListEntry], rule: str) -> tuple[WaitingListEntry, ...]:
    """Return the waiting list in the order in which entries move up.

    `rule` is `arrival`, `paid-first` or `director`, which also sorts by arrival.

    >>> early, paid = WaitingListEntry(65, "2026-10-01"), WaitingListEntry(66, "2026-10-02", settled=True)
    >>> [entry.number for entry in sort_waiting_list([paid, early], "arrival")]
    [65, 66]
    >>> [entry.number for entry in sort_waiting_list([early, paid], "paid-first")]
    [66, 65]
    """
    paid_first = rule == "paid-first"
    return tuple(sorted(waiting, key=lambda entry: (paid_first and not entry.settled, entry.since, entry.number)))
