"""Topics: names for the things that a write can change. A page is cached and updated according to its topics.

A model declares the topics of its rows with `affected_topics()`, or with `find_affected_topics` if they depend on the
written fields. If a model has neither method, its rows count as writes to `EVERYBODY_TOPIC`, so all pages are updated.
The same applies to statements that bypass the model (`bulk_create`, `update`, `delete`), unless
`record_bulk_created_rows` is called.

A page declares its topics with `follows_topics`. A page without a declaration follows everything, so a forgotten
declaration causes unnecessary updates, but never an outdated page.

Model signals also collect the rows that a write touches, because the log stores a digest of each (`record.writing`).
After a statement that bypasses the model, call `record_bulk_created_rows` with the created rows, or
`record_changed_rows` with the changed ones.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from django.db import connection
from django.db.models import Model
from django.db.models.signals import m2m_changed, post_delete, post_save, pre_save

from tournament.models import Entrant, Event, TopicVersion
from tournament.models.topic import DESK_TOPIC, EVERYBODY_TOPIC, get_entrant_topic

AnyRow = TypeVar("AnyRow", bound=Model)

ANY_WRITE_TOPIC: Final = "*"
"""The topic of a page that follows everything. Every write changes it."""

WRITE_STATEMENT_PATTERN: Final = re.compile(r'(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) "(\w+)"')

MAX_FOLLOWED_TOPICS: Final = 64
"""The maximum number of topics in a URL, enough for a player's games on a long evening.

A page that would need more topics follows every write to its event instead.
"""
TOPIC_NAMES_PATTERN: Final = re.compile(rf"[-\w]{{1,60}}(?:,[-\w]{{1,60}}){{0,{MAX_FOLLOWED_TOPICS - 1}}}")


@dataclass(eq=False)
class WriteTracker:
    """The statements, rows and topics of a write transaction so far.

    `rows` contains each created row as an object, and None for each changed or deleted row. `written` counts the
    statements that wrote to each table. `with_topics` and `with_rows` count the statements whose topics or rows have
    been recorded.
    """

    written: Counter[str] = field(default_factory=Counter)
    with_topics: Counter[str] = field(default_factory=Counter)
    with_rows: Counter[str] = field(default_factory=Counter)
    topics: set[str] = field(default_factory=set)
    rows: dict[type[Model], dict[Any, Model | None]] = field(default_factory=dict)
    _before: Counter[str] = field(default_factory=Counter)

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        written = WRITE_STATEMENT_PATTERN.match(sql) if isinstance(sql, str) else None
        if written:
            self.written[written[1]] += 1
        return execute(sql, params, many, context)

    def remember_statement_count(self, table: str) -> None:
        """Remember, before a row is saved, how many statements have written to its database table so far.

        `record_saved` can then tell how many statements the save needed.
        """
        self._before[table] = self.written[table]

    def record_saved(self, row: Any, *, created: bool, fields: Collection[str] | None) -> None:
        table = row._meta.db_table
        statements = self.written[table] - self._before[table]
        self.with_topics[table] += statements
        self.with_rows[table] += statements
        self.rows.setdefault(type(row), {})[row.pk] = row if created else None
        self.add_row_topics(row, created=created, fields=fields)

    def record_created(self, rows: Collection[Any]) -> None:
        """Record rows that the preceding statements created."""
        for row in rows:
            table = row._meta.db_table
            self.with_topics[table] = self.with_rows[table] = self.written[table]
            self.rows.setdefault(type(row), {})[row.pk] = row
            self.add_row_topics(row)

    def record_changed(self, model: type[Model], keys: Iterable[Any]) -> None:
        """Record rows that the preceding statements changed or deleted."""
        self.with_rows[model._meta.db_table] = self.written[model._meta.db_table]
        self.rows.setdefault(model, {}).update(dict.fromkeys(keys))

    def copy(self) -> "WriteTracker":
        return WriteTracker(
            written=self.written.copy(),
            with_topics=self.with_topics.copy(),
            with_rows=self.with_rows.copy(),
            topics=set(self.topics),
            rows={model: dict(rows) for model, rows in self.rows.items()},
            _before=self._before.copy(),
        )

    def find_unrecorded_tables(self) -> list[str]:
        """Return the tables in which some written rows were never recorded."""
        return sorted(table for table, count in self.written.items() if count > self.with_rows[table])

    def add_row_topics(self, row: Any, *, created: bool = True, fields: Collection[str] | None = None) -> None:
        """Add the topics of a written row.

        `fields` are the names of the written fields, or None if all fields were written.
        """
        if hasattr(row, "find_affected_topics"):
            topics = row.find_affected_topics(created=created, fields=fields)
        else:
            topics = row.affected_topics() if hasattr(row, "affected_topics") else (EVERYBODY_TOPIC,)
        self.topics.update(topics)
        if topics and not getattr(row, "is_plain", False):
            self.topics.add(DESK_TOPIC)

    def list_topics(self) -> frozenset[str]:
        return frozenset(self.topics if self.written <= self.with_topics else {*self.topics, EVERYBODY_TOPIC})


_open_trackers: ContextVar[tuple[WriteTracker, ...]] = ContextVar("open", default=())


@contextmanager
def track_write() -> Iterator[WriteTracker]:
    """Collect the topics and rows of everything that is written in the block.

    In a nested block, the outer blocks collect them as well.
    """
    tracker = WriteTracker()
    token = _open_trackers.set((*_open_trackers.get(), tracker))
    try:
        with connection.execute_wrapper(tracker):
            yield tracker
    finally:
        _open_trackers.reset(token)


def is_write_open() -> bool:
    """Return whether a write transaction is open. Values read inside it must not be cached."""
    return bool(_open_trackers.get())


def _record_saved_row(*, instance: Any, created: bool, update_fields: Collection[str] | None, **_more: Any) -> None:
    for tracker in _open_trackers.get():
        tracker.record_saved(instance, created=created, fields=update_fields)


def _note_row_before_save(*, instance: Any, **_more: Any) -> None:
    for tracker in _open_trackers.get():
        tracker.remember_statement_count(instance._meta.db_table)


def _record_deleted_row(*, instance: Any, **_more: Any) -> None:
    record_changed_rows(type(instance), [instance.pk])


def _record_changed_relation(*, sender: type[Model], instance: Model, action: str, reverse: bool, **_more: Any) -> None:
    if action == "post_add" and not reverse:
        to_instance = {each.name: instance.pk for each in sender._meta.fields if each.related_model is type(instance)}
        record_changed_rows(sender, sender._base_manager.filter(**to_instance).values_list("pk", flat=True))


pre_save.connect(_note_row_before_save, dispatch_uid="topics")
post_save.connect(_record_saved_row, dispatch_uid="topics")
post_delete.connect(_record_deleted_row, dispatch_uid="topics")
m2m_changed.connect(_record_changed_relation, dispatch_uid="topics")


def record_bulk_created_rows(rows: Iterable[AnyRow]) -> list[AnyRow]:
    """Record and return rows that one statement created (`bulk_create`), as if each had been saved separately."""
    created = list(rows)
    for tracker in _open_trackers.get():
        tracker.record_created(created)
    return created


def record_changed_rows(model: type[Model], keys: Iterable[Any]) -> None:
    """Record rows that an SQL statement changed (for example `update`), so that the log stores their new digests."""
    changed = list(keys)
    for tracker in _open_trackers.get():
        tracker.record_changed(model, changed)


@contextmanager
def discard_tracked_changes() -> Iterator[None]:
    """Forget the rows and topics recorded in this block, because the caller will roll it back."""
    before = [(tracker, tracker.copy()) for tracker in _open_trackers.get()]
    try:
        yield
    finally:
        for tracker, earlier in before:
            vars(tracker).update(vars(earlier))


def add_topics_to_write(*topics: str) -> None:
    """Add topics to the current write transaction, in addition to the topics of the written rows."""
    for tracker in _open_trackers.get():
        tracker.topics.update(topics)


def save_topic_versions(event: Event, names: frozenset[str], version: int) -> None:
    rows = [TopicVersion(event=event, name=name, version=version) for name in sorted(names)]
    TopicVersion.objects.bulk_create(
        rows, update_conflicts=True, update_fields=["version"], unique_fields=["event", "name"]
    )


def list_entrant_topics(entrant: Entrant) -> list[str]:
    """Return the topics of the entrant, and of their pair if they play in one."""
    return [get_entrant_topic(pk) for pk in (entrant.pk, entrant.joined_to_id) if pk is not None]


def parse_topics(text: str) -> tuple[str, ...] | None:
    """Parse a list of topics such as “card-12,bracket”. Return None if it is empty or malformed."""
    return tuple(text.split(",")) if TOPIC_NAMES_PATTERN.fullmatch(text) else None
