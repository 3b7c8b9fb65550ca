"""The one way to write: lock, check, add facts, one audit row, then tell the pages after commit.

    with writing(event, verb="payment.taken", by=by, key=key) as note:
        if note.repeated:
            return LedgerLine.objects.get(pk=note.outcome["line"])
        ...refusals...
        line = event.ledger.create(..., **note.signed())
        note.about(entrant, line=line.pk)
        return line

A verb that another service calls inside its own transaction takes the open `write` instead of `by`, and opens none.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.above import sealing
from tournament.core.dispatch import after_commit_live
from tournament.core.folded import look_again
from tournament.core.marks import set_marks
from tournament.core.permissions import Actor
from tournament.core.selectors.log import FIRST, SEALED, digest_of_seal, entry_digest, statement_of_seal
from tournament.core.selectors.prepared import Prepared
from tournament.core.selectors.row_digests import logged_digests, recorded_tables, row_digest
from tournament.core.topics import ANYTHING, DESK, EVERYBODY, Raised, note_rows, raise_topics, raising
from tournament.errors import Conflict
from tournament.models import AuditEntry, AuditHead, Event, IdempotencyKey, LogSeal, Tournament
from tournament.models.fact import Fact
from tournament.models.topic import PAIRINGS

_moment: ContextVar[datetime | None] = ContextVar("moment", default=None)


@contextmanager
def recorded_at(moment: datetime) -> Iterator[None]:
    """What is written inside carries this moment: for a made-up day that is played in fast time, and nothing else."""
    token = _moment.set(moment)
    try:
        yield
    finally:
        _moment.reset(token)


def _now() -> datetime:
    return _moment.get() or timezone.now()


@dataclass
class Write:
    """An open write: who, since when, and what its audit row and its repeat will say."""

    tournament: Tournament
    event: Event | None
    by: Actor
    verb: str
    reason: str = ""
    repeated: bool = False
    outcome: dict[str, Any] = field(default_factory=dict)
    kept: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Digests by kind: whatever a longer act says of itself in the end, they stay."""
    looked_up: dict[str, Any] = field(default_factory=dict)
    """What was read under the lock and holds for the whole write, by name."""
    subject: str = ""
    at: Any = field(default_factory=_now)

    @property
    def the_event(self) -> Event:
        """Of a write that belongs to an event, as most do.

        Raises:
            LookupError: it belongs to the whole tournament.
        """
        if self.event is None:
            raise LookupError(f"“{self.verb}” belongs to no event")
        return self.event

    def about(self, subject: object, **outcome: Any) -> None:
        """What the audit row is about, and the plain values (ids, cents) it keeps."""
        self.subject = str(subject)[:300]
        self.outcome.update(outcome)

    def keep(self, kind: str, fact: Fact) -> None:
        """A digest of a row that was just added: `verify_event` holds the row against it ever after."""
        self.keep_digest(kind, fact.pk, row_digest(fact))

    def keep_digest(self, kind: str, pk: int, digest: str) -> None:
        self.kept.setdefault(kind, []).append({"pk": pk, "digest": digest})

    def fact_fields(self) -> dict[str, Any]:
        """The columns every fact carries: when, who and why."""
        return {"at": self.at, "by": self.by.user, "by_name": self.by.name, "reason": self.reason}

    def signature_fields(self) -> dict[str, Any]:
        """The columns of a fact that asks for a certain person (`ByLink`)."""
        link = self.by.link
        return {**self.fact_fields(), **({"link_by": link.link_by, "link_at": link.link_at} if link else {})}


@contextmanager
def writing(scope: Tournament | Event, *, verb: str, by: Actor, key: str = "", reason: str = "") -> Iterator[Write]:
    """Open one transaction, and log what it did as its last step.

    Rows are locked in one order everywhere: the tournament, its events by number, the end of the log's chain. A write
    of an event never locks its tournament, because a write of the tournament may already wait for the event. What is
    numbered over the whole tournament uses `lock_chain`.

    With a `key` that was used before for this verb and the same content, `write.repeated` is true, `write.outcome` is
    what it led to then, and nothing is written. Event and reason are bound to the key here; what else was sent is
    bound by the caller (`scoped_key`).
    """
    key = scoped_key(key, scope._meta.label, scope.pk, reason)
    with transaction.atomic():
        tournament, event = _locked(scope)
        write = Write(tournament, event, by, verb, reason)
        earlier = IdempotencyKey.objects.filter(tournament=tournament, verb=verb, key=key).first() if key else None
        if earlier:
            write.repeated, write.outcome = True, dict(earlier.outcome)
            yield write
            return
        if event is not None and event.state == Event.State.CALLED_OFF:
            _refuse_called_off(event, verb)
        with raising() as raised:
            yield write
        row_digests = _digests_of(raised)
        if key:
            IdempotencyKey.objects.create(tournament=tournament, verb=verb, key=key, outcome=write.outcome)
        concerned = (event,) if event is not None else tuple(_events_of(tournament, raised))
        entry = _log(write, row_digests)
        if write.verb in SEALED:
            _seal_log(entry)
        for each in concerned:
            raise_version(each, raised.names())
        if event is not None and not raised.names().isdisjoint((PAIRINGS, EVERYBODY)):
            transaction.on_commit(partial(_wake_other_desks, event), robust=True)


AT_TABLES: Final = (Event.State.DRAWN, Event.State.IN_PLAY)
"""The states in which an event uses the tables of the hall."""
WHILE_CALLED_OFF: Final = (
    *("ledger.refund", "ledger.correction", "ledger.reversal", "money.", "transfer.", "message.", "link", "players."),
    *("card.told", "card.settled", "card.tried-again", "card.matched", "card.set-aside", "event.brought-back"),
)
"""Verbs, or what they begin with, that an event takes when it is called off: money goes back, and players are told."""


def _refuse_called_off(event: Event, verb: str) -> None:
    """Raises Conflict `called-off`: nothing else is recorded of an event that was called off."""
    if not verb.startswith(WHILE_CALLED_OFF):
        said = _("%(name)s is called off. Nothing was recorded. A director can bring it back on Today.")
        raise Conflict("called-off", said % {"name": event.name})


def _wake_other_desks(event: Event) -> None:
    """Raise the desk of every other event that plays in the same hall: its pages suggest tables that nobody uses.

    This is a transaction of its own, because a write of an event never locks another one. No page of a player follows
    the desk.
    """
    others = Event.objects.filter(tournament=event.tournament_id, state__in=AT_TABLES).exclude(pk=event.pk)
    if others.exists():
        with transaction.atomic():
            for other in others.select_for_update().order_by("pk"):
                raise_version(other, frozenset({DESK}))


def _digests_of(raised: Raised) -> dict[str, dict[str, str]]:
    """Raises RuntimeError where a row was written that the log would not know: a mistake in the program."""
    unknown = [table for table in raised.not_noted() if table in recorded_tables()]
    if unknown:
        raise RuntimeError(f"Rows of {', '.join(unknown)} were written without `told` or `note_rows`.")
    return logged_digests(raised.rows)


def raise_version(event: Event, topics: frozenset[str]) -> None:
    """Inside a transaction that holds the event's row."""
    Event.objects.filter(pk=event.pk).update(version=event.version + 1)
    note_rows(Event, ())  # inside another write: the log does not keep the version
    raise_topics(event, topics, event.version + 1)
    look_again()
    transaction.on_commit(partial(set_marks, event.pk, (*topics, ANYTHING)))
    after_commit_live(event.pk)


def _events_of(tournament: Tournament, raised: Raised) -> Iterable[Event]:
    """What all of them show was changed: the tournament's name, its place, its people."""
    return tournament.events.select_for_update().order_by("pk") if raised.names() else ()


def scoped_key(key: str, *content: object) -> str:
    """The key for exactly this: sent with something else, by the back button, it is another write and no repeat."""
    return hashlib.sha256(repr((key, *content)).encode()).hexdigest() if key else ""


def lock_event(event: Event) -> int:
    """The event's row first, as in every write; its version."""
    return Event.objects.select_for_update(of=("self",)).get(pk=event.pk).version


_event_of = Prepared(
    lambda event: Event.objects.select_for_update(of=("self",)).select_related("tournament").filter(pk=event)
)


def _locked(scope: Tournament | Event) -> tuple[Tournament, Event | None]:
    if isinstance(scope, Event):
        if not (found := _event_of(scope.pk)):
            raise Event.DoesNotExist
        return found[0].tournament, found[0]
    # A payment names its tournament while it holds its event: that waits for no one who changes the tournament.
    return Tournament.objects.select_for_update(no_key=True).get(pk=scope.pk), None


_head_of = Prepared(lambda tournament: AuditHead.objects.select_for_update().filter(tournament=tournament))


def lock_chain(tournament: Tournament) -> AuditHead:
    """Lock the end of the tournament's log, which every write reaches; it is made with the first write."""
    if not (found := _head_of(tournament.pk)):
        AuditHead.objects.get_or_create(tournament=tournament)
        found = _head_of(tournament.pk)
    return found[0]


def lock_tournament(tournament: Tournament) -> Tournament:
    """Lock all of a tournament in the one order: its row, its events by number, the end of its log."""
    locked = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    list(locked.events.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    lock_chain(locked)
    return locked


def _signed_in(by: Actor) -> dict[str, Any]:
    """Every act of a session that another person's link opened names that person in the log."""
    return {"signed_in_by_link": {"by": by.link.link_by, "at": by.link.link_at.isoformat()}} if by.link else {}


def _log(write: Write, row_digests: dict[str, dict[str, str]]) -> AuditEntry:
    head = lock_chain(write.tournament)
    entry = AuditEntry(
        tournament=write.tournament,
        seq=head.seq + 1,
        at=write.at,
        event=write.event,
        user=write.by.user,
        by_name=write.by.name,
        verb=write.verb,
        about=write.subject,
        reason=write.reason,
        data={**write.outcome, **write.kept, **_signed_in(write.by)},
        row_digests=row_digests,
        previous=head.digest,
    )
    entry.digest = entry_digest(entry)
    entry.save()
    head.seq, head.digest = entry.seq, entry.digest
    head.save(update_fields=["seq", "digest"])
    return entry


def _seal_log(entry: AuditEntry) -> None:
    """Sign the end of the log, which this write holds locked."""
    last = LogSeal.objects.filter(tournament=entry.tournament).order_by("-number").first()
    seal = LogSeal(
        tournament=entry.tournament,
        number=last.number + 1 if last else 1,
        log_row=entry.seq,
        log_digest=entry.digest,
        previous=digest_of_seal(last) if last else FIRST,
    )
    seal.signature, seal.public = sealing().seal_bytes(statement_of_seal(seal))
    seal.save()
