"""What changed, by name: a write raises the topics of the rows it touches, a page is kept and woken by its own.

A row says its topics itself (`topics()` of its model, or `topics_of` where it depends on what was written of it); one
that says nothing concerns everybody, and so does everything that is written without passing by its model
(`bulk_create`, `update`, `delete`) and is not `told`. A page names its topics by `follows`; one that names none
follows everything. So what nobody thought of wakes too many, never too few.

The same signals collect the rows that a write touched, and the log keeps a digest of each (`record.writing`). After a
statement that bypasses its model, call `told` with the rows that it made, or `note_rows` with those that it changed.
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
"""What a page that names no topic follows."""

WRITES: Final = re.compile(r'(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) "(\w+)"')

MOST_NAMES: Final = 64
"""Topics that one page may name: all games of somebody in a long evening. One with more follows everything."""
NAMES: Final = re.compile(rf"[-\w]{{1,60}}(?:,[-\w]{{1,60}}){{0,{MOST_NAMES - 1}}}")


@dataclass(eq=False)
class Raised:
    """Everything that a write has touched so far: statements by their tables, topics by the rows that said theirs.

    `rows` are those that it made, as they are in memory, or None for those that it changed or deleted. `noted` counts
    the statements whose rows are among them.
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
        """The statements to come are those of one row, which says its topics after them."""
        self._before[table] = self.written[table]

    def hear_saved(self, row: Any, *, created: bool, fields: Collection[str] | None) -> None:
        table = row._meta.db_table
        statements = self.written[table] - self._before[table]
        self.told[table] += statements
        self.noted[table] += statements
        self.rows.setdefault(type(row), {})[row.pk] = row if created else None
        self.hear(row, created=created, fields=fields)

    def hear_all(self, rows: Collection[Any]) -> None:
        """Rows that were made by the statements before."""
        for row in rows:
            table = row._meta.db_table
            self.told[table] = self.noted[table] = self.written[table]
            self.rows.setdefault(type(row), {})[row.pk] = row
            self.hear(row)

    def note(self, model: type[Model], keys: Iterable[Any]) -> None:
        """Rows that were changed or deleted by the statements before."""
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
        """The tables that were written by a statement whose rows nobody named."""
        return sorted(table for table, count in self.written.items() if count > self.noted[table])

    def hear(self, row: Any, *, created: bool = True, fields: Collection[str] | None = None) -> None:
        """`fields` are those that were written of a row that stood before; None: all of them."""
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
    """Hears what is written inside; around another one, of that, too."""
    raised = Raised()
    token = _open.set((*_open.get(), raised))
    try:
        with connection.execute_wrapper(raised):
            yield raised
    finally:
        _open.reset(token)


def is_writing() -> bool:
    """What is read now may be taken back: nothing is kept of it."""
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
    """Rows that were added to a table between two models."""
    if action == "post_add" and not reverse:
        to_instance = {each.name: instance.pk for each in sender._meta.fields if each.related_model is type(instance)}
        note_rows(sender, sender._base_manager.filter(**to_instance).values_list("pk", flat=True))


pre_save.connect(_is_saving, dispatch_uid="topics")
post_save.connect(_saved, dispatch_uid="topics")
post_delete.connect(_deleted, dispatch_uid="topics")
m2m_changed.connect(_related, dispatch_uid="topics")


def told(rows: Iterable[AnyRow]) -> list[AnyRow]:
    """Rows that were made in one statement (`bulk_create`): each says its topics, as if it had been saved."""
    made = list(rows)
    for raised in _open.get():
        raised.hear_all(made)
    return made


def note_rows(model: type[Model], keys: Iterable[Any]) -> None:
    """Have the log read these rows again, after one statement changed or made them (`update`, `bulk_update`, SQL)."""
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
    """Inside an open write: what it concerns besides what its rows say of themselves."""
    for raised in _open.get():
        raised.topics.update(topics)


def raise_topics(event: Event, names: frozenset[str], version: int) -> None:
    rows = [TopicVersion(event=event, name=name, version=version) for name in sorted(names)]
    TopicVersion.objects.bulk_create(
        rows, update_conflicts=True, update_fields=["version"], unique_fields=["event", "name"]
    )


def own_topics(entrant: Entrant) -> list[str]:
    """The topics of an entrant, and of the pair in which they play."""
    return [entrant_topic(pk) for pk in (entrant.pk, entrant.joined_to_id) if pk is not None]


def topics_in(said: str) -> tuple[str, ...] | None:
    """“card-12,bracket” as a page asks for it; None where it names none, or what no page names."""
    return tuple(said.split(",")) if NAMES.fullmatch(said) else None
