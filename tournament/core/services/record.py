"""Write to a tournament: lock, check, add rows and a log entry, and notify live pages after the commit.

Services record everything in this way:

    with writing(event, verb="payment.taken", by=by, key=key) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        ...refusals...
        line = event.ledger.create(..., **write.fact_fields())
        write.about(entrant, line=line.pk)
        return line

A service that is called by another service accepts the open `write` instead of `by`, and does not open its own.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.core.cached import forget_versions
from tournament.core.dispatch import (
    collect_log_entry,
    collect_refusal,
    collect_repetition,
    notify_streams_after_commit,
    wait_for_second_laptop_after_commit,
)
from tournament.core.marks import renew_topic_marks
from tournament.core.permissions import Actor
from tournament.core.selectors.log import (
    GENESIS_DIGEST,
    SEALING_VERBS,
    compute_fact_digest,
    compute_log_entry_digest,
    compute_row_digests,
    compute_seal_digest,
    list_recorded_tables,
    make_log_seal_statement,
)
from tournament.core.selectors.prepared import PreparedQuery
from tournament.core.topics import (
    ANY_WRITE_TOPIC,
    DESK_TOPIC,
    EVERYBODY_TOPIC,
    WriteTracker,
    record_changed_rows,
    save_topic_versions,
    track_write,
)
from tournament.errors import Conflict, DomainError
from tournament.models import AuditEntry, AuditHead, Event, IdempotencyKey, LogSeal, Tournament
from tournament.models.base import Fact
from tournament.models.topic import PAIRINGS_TOPIC
from tournament.ports import log_provider

_acted_at: ContextVar[datetime | None] = ContextVar("_acted_at", default=None)


@contextmanager
def use_time_for_deadlines(acted_at: datetime) -> Iterator[None]:
    """Judge deadlines in this block by the time when people acted, because their actions are recorded only later.

    Facts and log rows still have the time at which they are recorded.
    """
    token = _acted_at.set(min(acted_at, timezone.now()))
    try:
        yield
    finally:
        _acted_at.reset(token)


def get_action_time() -> datetime:
    """Return the time by which deadlines are judged: the current time, except inside `use_time_for_deadlines`."""
    return _acted_at.get() or timezone.now()


@dataclass
class WriteTransaction:
    """The transaction that `writing` opens: its actor, its time, and the contents of its log row."""

    tournament: Tournament
    event: Event | None
    by: Actor
    verb: str
    reason: str = ""
    repeated: bool = False
    outcome: dict[str, Any] = field(default_factory=dict)
    digests: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Digests of recorded rows for the log row, keyed by kind of row."""
    cached_lookups: dict[str, Any] = field(default_factory=dict)
    """Values that were read under the lock, keyed by name. They remain valid for the whole write."""
    subject: str = ""
    at: datetime = field(default_factory=lambda: timezone.now())

    @property
    def acted_at(self) -> datetime:
        """The time by which deadlines are judged. It is the time of the write, except in `use_time_for_deadlines`."""
        return _acted_at.get() or self.at

    @property
    def the_event(self) -> Event:
        """The event of this write.

        Raises LookupError if the write belongs to a whole tournament.
        """
        if self.event is None:
            raise LookupError(f"“{self.verb}” belongs to no event")
        return self.event

    def about(self, subject: object, **outcome: Any) -> None:
        """Set the log row's subject, and add plain values (ids, cents) to its outcome."""
        self.subject = str(subject)[:300]
        self.outcome.update(outcome)

    def log_row_digest(self, kind: str, fact: Fact) -> None:
        """Add the digest of a new row to the log row. `verify_event` later compares the row with this digest."""
        self.add_digest(kind, fact.pk, compute_fact_digest(fact))

    def add_digest(self, kind: str, pk: int, digest: str) -> None:
        self.digests.setdefault(kind, []).append({"pk": pk, "digest": digest})

    def fact_fields(self) -> dict[str, Any]:
        """Return the columns that all recorded facts have in common: the time, the actor and the reason."""
        return {"at": self.at, "by": self.by.user, "by_name": self.by.name, "reason": self.reason}

    def signature_fields(self) -> dict[str, Any]:
        """Return the columns that a signature shares with other facts.

        If the signer has no password and another person created their sign-in link, also return the columns of
        `SignInLinkColumns`.
        """
        link = self.by.link
        return {**self.fact_fields(), **({"link_by": link.link_by, "link_at": link.link_at} if link else {})}


@contextmanager
def writing(
    scope: Tournament | Event, *, verb: str, by: Actor, key: str = "", reason: str = ""
) -> Iterator[WriteTransaction]:
    """Open a transaction, and write a log row as its last step.

    Rows are always locked in the same order: the tournament, its events by primary key, the end of the log's chain. A
    write to an event never locks its tournament, because a write to the tournament may already be waiting for the
    event. Call `lock_log_chain` to assign numbers across the whole tournament.

    If a request with this `key` was already carried out, `write.repeated` is true, nothing is written, and
    `write.outcome` has the values from the first time. `writing` adds the scope and the reason to the key. The caller
    must add all other content of the request (`make_idempotency_key`).
    """
    key = make_idempotency_key(key, scope._meta.label, scope.pk, reason)
    with _noting_refusal(), transaction.atomic():
        tournament, event = _lock_scope(scope)
        write = WriteTransaction(tournament, event, by, verb, reason)
        earlier = IdempotencyKey.objects.filter(tournament=tournament, verb=verb, key=key).first() if key else None
        if earlier:
            write.repeated, write.outcome = True, dict(earlier.outcome)
            collect_repetition()
            yield write
            return
        if (
            event is not None
            and event.state == Event.State.CALLED_OFF
            and not verb.startswith(VERBS_ALLOWED_WHEN_CALLED_OFF)
        ):
            message = _("%(name)s is called off. Nothing was recorded. A director can bring it back on Today.")
            raise Conflict("called-off", message % {"name": event.name})
        with track_write() as tracker:
            yield write
        row_digests = _compute_written_row_digests(tracker)
        if key:
            IdempotencyKey.objects.create(tournament=tournament, verb=verb, key=key, outcome=write.outcome)
        concerned: list[Event] = [event] if event is not None else []
        if event is None and tracker.list_topics():  # all events show the tournament's name, venue, and people
            concerned = list(tournament.events.select_for_update().order_by("pk"))
        entry = _add_log_entry(write, row_digests)
        if write.verb in SEALING_VERBS:
            _seal_log_entry(entry)
        for each in concerned:
            bump_version(each, tracker.list_topics())
        if event is not None and not tracker.list_topics().isdisjoint((PAIRINGS_TOPIC, EVERYBODY_TOPIC)):
            transaction.on_commit(partial(_update_other_desk_pages, event), robust=True)
        collect_log_entry(entry.pk)
        wait_for_second_laptop_after_commit(entry.pk)


@contextmanager
def _noting_refusal() -> Iterator[None]:
    try:
        yield
    except DomainError as refusal:
        collect_refusal(refusal.message)
        raise


STATES_OCCUPYING_TABLES: Final = (Event.State.DRAWN, Event.State.IN_PLAY)
"""The states in which an event occupies tables in the hall."""
VERBS_ALLOWED_WHEN_CALLED_OFF: Final = (
    *("ledger.refund", "ledger.correction", "ledger.reversal", "money.", "transfer.", "message.", "link", "players."),
    *("card.told", "card.settled", "card.tried-again", "card.matched", "card.set-aside", "event.brought-back"),
)
"""Prefixes of log verbs that a called-off event still allows, so that the desk can refund money and notify players."""


def _update_other_desk_pages(event: Event) -> None:
    """Update the desk pages of other events in the hall, because they suggest free tables.

    This runs in a separate transaction, because a write to one event never locks another event.
    """
    others = Event.objects.filter(tournament=event.tournament_id, state__in=STATES_OCCUPYING_TABLES).exclude(
        pk=event.pk
    )
    if others.exists():
        with transaction.atomic():
            for other in others.select_for_update().order_by("pk"):
                bump_version(other, frozenset({DESK_TOPIC}))


def _compute_written_row_digests(tracker: WriteTracker) -> dict[str, dict[str, str]]:
    """Return the digests of all rows written in the transaction, by table and primary key.

    Raises:
        RuntimeError: A statement wrote rows that were not recorded, which is a bug.
    """
    unknown = [table for table in tracker.find_unrecorded_tables() if table in list_recorded_tables()]
    if unknown:
        raise RuntimeError(
            f"Rows of {', '.join(unknown)} were written without `record_bulk_created_rows` or `record_changed_rows`."
        )
    return compute_row_digests(tracker.rows)


def bump_version(event: Event, topics: frozenset[str]) -> None:
    """Increase the version of the event and of these topics. The caller must have locked the event."""
    Event.objects.filter(pk=event.pk).update(version=event.version + 1)
    record_changed_rows(Event, ())  # an open write must not report this statement: the log does not cover the version
    save_topic_versions(event, topics, event.version + 1)
    forget_versions()
    transaction.on_commit(partial(renew_topic_marks, event.pk, (*topics, ANY_WRITE_TOPIC)))
    notify_streams_after_commit(event.pk)


def make_idempotency_key(key: str, *content: object) -> str:
    """Return an idempotency key for a request with exactly this content.

    If a user goes back and submits the same form with other content, it counts as a different request.
    """
    return hashlib.sha256(repr((key, *content)).encode()).hexdigest() if key else ""


def lock_event(event: Event) -> int:
    """Lock the event's row, as every write must do first. Return the event's version."""
    return Event.objects.select_for_update(of=("self",)).get(pk=event.pk).version


_query_and_lock_event = PreparedQuery(
    lambda event: Event.objects.select_for_update(of=("self",)).select_related("tournament").filter(pk=event)
)


def _lock_scope(scope: Tournament | Event) -> tuple[Tournament, Event | None]:
    if isinstance(scope, Event):
        if not (events := _query_and_lock_event(scope.pk)):
            raise Event.DoesNotExist
        return events[0].tournament, events[0]
    # `no_key` lets a payment insert a reference to the tournament while somebody is changing the tournament.
    return Tournament.objects.select_for_update(no_key=True).get(pk=scope.pk), None


_query_and_lock_log_head = PreparedQuery(
    lambda tournament: AuditHead.objects.select_for_update().filter(tournament=tournament)
)


def lock_log_chain(tournament: Tournament) -> AuditHead:
    """Lock the end of the tournament's log, and return it. Create it if this is the first write to the tournament."""
    if not (heads := _query_and_lock_log_head(tournament.pk)):
        AuditHead.objects.get_or_create(tournament=tournament)
        heads = _query_and_lock_log_head(tournament.pk)
    return heads[0]


def lock_tournament(tournament: Tournament) -> Tournament:
    """Lock a whole tournament, in the order of locks that `writing` prescribes."""
    locked = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    list(locked.events.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    lock_log_chain(locked)
    return locked


def _add_log_entry(write: WriteTransaction, row_digests: dict[str, dict[str, str]]) -> AuditEntry:
    head, data = lock_log_chain(write.tournament), {**write.outcome, **write.digests}
    if link := write.by.link:
        data["signed_in_by_link"] = {"by": link.link_by, "at": link.link_at.isoformat()}
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
        data=data,
        row_digests=row_digests,
        previous=head.digest,
    )
    entry.digest = compute_log_entry_digest(entry)
    entry.save()
    head.seq, head.digest = entry.seq, entry.digest
    head.save(update_fields=["seq", "digest"])
    return entry


def _seal_log_entry(entry: AuditEntry) -> None:
    last = LogSeal.objects.filter(tournament=entry.tournament).order_by("-number").first()
    seal = LogSeal(
        tournament=entry.tournament,
        number=last.number + 1 if last else 1,
        log_row=entry.seq,
        log_digest=entry.digest,
        previous=compute_seal_digest(last) if last else GENESIS_DIGEST,
    )
    seal.signature, seal.public = log_provider().seal_bytes(make_log_seal_statement(seal))
    seal.save()


def require_reason(reason: str, message: str = "") -> None:
    if not reason.strip():
        raise DomainError("reason-needed", message or _("Write the reason. It stays on record."), field="reason")
