"""Topics: names for what a write changes. A page is cached and woken by the topics it follows.

The model of a row returns its topics (`topics()`, or `topics_of` if they depend on what was written). A row without
topics concerns everybody. So do statements that bypass the model (`bulk_create`, `update`, `delete`), unless `told` is
called. A page names its topics with `follows`, otherwise it follows everything. A mistake therefore wakes too many
pages, never too few.

The same signals collect the rows that a write touched, and the log stores a digest of each (`record.writing`). After a
statement that bypasses its model, call `told` with the rows it created, or `note_rows` with the rows it changed.
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
from tournament.models.topic import DESK, EVERYBODY, entrant_topic

AnyRow = TypeVar("AnyRow", bound=Model)

ANYTHING: Final = "*"
"""The topic of a page that names none. Every write touches it."""

WRITES: Final = re.compile(r'(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) "(\w+)"')

MOST_NAMES: Final = 64
"""The most topics that one page may name: all games of a player in a long evening. Beyond that it follows everything.
"""
NAMES: Final = re.compile(rf"[-\w]{{1,60}}(?:,[-\w]{{1,60}}){{0,{MOST_NAMES - 1}}}")


@dataclass(eq=False)
class Raised:
    """The statements and topics of an open write so far.

    `rows` has the created rows as they are in memory, and None for rows that were changed or deleted. `told` counts
    the statements whose rows have given their topics. `noted` counts the statements whose rows are in `rows`.
    """

    written: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    noted: Counter[str] = field(default_factory=Counter)
    topics: set[str] = field(default_factory=set)
    rows: dict[type[Model], dict[Any, Model | None]] = field(default_factory=dict)
    _before: Counter[str] = field(default_factory=Counter)

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        written = WRITES.match(sql) if isinstance(sql, str) else None
        if written:
            self.written[written[1]] += 1
        return execute(sql, params, many, context)

    def is_saving(self, table: str) -> None:
        """Remember the count of statements before a row is saved, whose topics follow after it."""
        self._before[table] = self.written[table]

    def hear_saved(self, row: Any, *, created: bool, fields: Collection[str] | None) -> None:
        table = row._meta.db_table
        statements = self.written[table] - self._before[table]
        self.told[table] += statements
        self.noted[table] += statements
        self.rows.setdefault(type(row), {})[row.pk] = row if created else None
        self.hear(row, created=created, fields=fields)

    def hear_all(self, rows: Collection[Any]) -> None:
        """Record rows that the previous statements created."""
        for row in rows:
            table = row._meta.db_table
            self.told[table] = self.noted[table] = self.written[table]
            self.rows.setdefault(type(row), {})[row.pk] = row
            self.hear(row)

    def note(self, model: type[Model], keys: Iterable[Any]) -> None:
        """Record rows that the previous statements changed or deleted."""
        self.noted[model._meta.db_table] = self.written[model._meta.db_table]
        self.rows.setdefault(model, {}).update(dict.fromkeys(keys))

    def as_it_is(self) -> "Raised":
        return Raised(
            written=self.written.copy(),
            told=self.told.copy(),
            noted=self.noted.copy(),
            topics=set(self.topics),
            rows={model: dict(rows) for model, rows in self.rows.items()},
            _before=self._before.copy(),
        )

    def not_noted(self) -> list[str]:
        """Return the tables with a statement whose rows were never recorded."""
        return sorted(table for table, count in self.written.items() if count > self.noted[table])

    def hear(self, row: Any, *, created: bool = True, fields: Collection[str] | None = None) -> None:
        """Add the topics of a row. `fields` are the written fields of an existing row, or None for all of them."""
        if hasattr(row, "topics_of"):
            topics = row.topics_of(created=created, fields=fields)
        else:
            topics = row.topics() if hasattr(row, "topics") else (EVERYBODY,)
        self.topics.update(topics)
        if topics and not getattr(row, "is_plain", False):
            self.topics.add(DESK)

    def names(self) -> frozenset[str]:
        return frozenset(self.topics if self.written <= self.told else {*self.topics, EVERYBODY})


_open: ContextVar[tuple[Raised, ...]] = ContextVar("open", default=())


@contextmanager
def raising() -> Iterator[Raised]:
    """Collect the topics and rows of everything written in the block. An outer block collects them, too."""
    raised = Raised()
    token = _open.set((*_open.get(), raised))
    try:
        with connection.execute_wrapper(raised):
            yield raised
    finally:
        _open.reset(token)


def is_writing() -> bool:
    """Return whether a write is open. Its rows may be rolled back, so nothing read in it may be cached."""
    return bool(_open.get())


def _saved(*, instance: Any, created: bool, update_fields: Collection[str] | None, **_more: Any) -> None:
    for raised in _open.get():
        raised.hear_saved(instance, created=created, fields=update_fields)


def _is_saving(*, instance: Any, **_more: Any) -> None:
    for raised in _open.get():
        raised.is_saving(instance._meta.db_table)


def _deleted(*, instance: Any, **_more: Any) -> None:
    note_rows(type(instance), [instance.pk])


def _related(*, sender: type[Model], instance: Model, action: str, reverse: bool, **_more: Any) -> None:
    """Record the rows that were added to a many-to-many table."""
    if action == "post_add" and not reverse:
        to_instance = {each.name: instance.pk for each in sender._meta.fields if each.related_model is type(instance)}
        note_rows(sender, sender._base_manager.filter(**to_instance).values_list("pk", flat=True))


pre_save.connect(_is_saving, dispatch_uid="topics")
post_save.connect(_saved, dispatch_uid="topics")
post_delete.connect(_deleted, dispatch_uid="topics")
m2m_changed.connect(_related, dispatch_uid="topics")


def told(rows: Iterable[AnyRow]) -> list[AnyRow]:
    """Record rows that one statement created (`bulk_create`), as if each had been saved, and return them."""
    made = list(rows)
    for raised in _open.get():
        raised.hear_all(made)
    return made


def note_rows(model: type[Model], keys: Iterable[Any]) -> None:
    """Make the log read these rows again after a statement that bypassed the model (`update`, `bulk_update`, SQL)."""
    changed = list(keys)
    for raised in _open.get():
        raised.note(model, changed)


@contextmanager
def rolled_back() -> Iterator[None]:
    """Make the open writes forget the rows and topics of this block, which the caller rolls back."""
    before = [(raised, raised.as_it_is()) for raised in _open.get()]
    try:
        yield
    finally:
        for raised, earlier in before:
            vars(raised).update(vars(earlier))


def raise_also(*topics: str) -> None:
    """Add topics to the open writes beyond those of their rows."""
    for raised in _open.get():
        raised.topics.update(topics)


def raise_topics(event: Event, names: frozenset[str], version: int) -> None:
    rows = [TopicVersion(event=event, name=name, version=version) for name in sorted(names)]
    TopicVersion.objects.bulk_create(
        rows, update_conflicts=True, update_fields=["version"], unique_fields=["event", "name"]
    )


def own_topics(entrant: Entrant) -> list[str]:
    """Return the topics of an entrant and of the pair in which they play."""
    return [entrant_topic(pk) for pk in (entrant.pk, entrant.joined_to_id) if pk is not None]


def topics_in(said: str) -> tuple[str, ...] | None:
    """Parse “card-12,bracket” from a request, or return None if it names no topics or is malformed."""
    return tuple(said.split(",")) if NAMES.fullmatch(said) else None
