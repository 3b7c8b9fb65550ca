"""What changed, by name: a write raises the topics of the rows it touches, a page is kept and woken by its own.

A row says its topics itself (`topics()` of its model); one that says nothing concerns everybody, and so does whatever
is written without passing by its model (`bulk_create`, `update`, `delete`). A page names its topics by `follows`; one
that names none follows everything. So what nobody thought of wakes too many, never too few.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import connection
from django.db.models.signals import post_save

from tournament.models import Event, TopicVersion

EVERYBODY: Final = "event"
"""The topic of what concerns all pages of an event; every page follows it."""

ANYTHING: Final = "*"
"""What a page that names no topic follows."""

WRITES: Final = re.compile(r'(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) "(\w+)"')

NAMES: Final = re.compile(r"[-\w]{1,60}(?:,[-\w]{1,60}){0,30}")


@dataclass(eq=False)
class Raised:
    """What one write has touched so far: tables by their statements, topics by the rows that said theirs."""

    tables: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        written = WRITES.match(sql) if isinstance(sql, str) else None
        if written:
            self.tables.add(written[1])
        return execute(sql, params, many, context)

    def hear(self, row: Any) -> None:
        self.told.add(row._meta.db_table)
        self.topics.update(row.topics() if hasattr(row, "topics") else (EVERYBODY,))

    def names(self) -> frozenset[str]:
        return frozenset(self.topics if self.tables <= self.told else {*self.topics, EVERYBODY})


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


def _saved(*, instance: Any, **_told: Any) -> None:
    for raised in _open.get():
        raised.hear(instance)


post_save.connect(_saved, dispatch_uid="topics")


def raise_topics(event: Event, names: frozenset[str], version: int) -> None:
    rows = [TopicVersion(event=event, name=name, version=version) for name in sorted(names)]
    TopicVersion.objects.bulk_create(
        rows, update_conflicts=True, update_fields=["version"], unique_fields=["event", "name"]
    )


def topics_in(said: str) -> tuple[str, ...] | None:
    """“card-12,bracket” as a page asks for it; None where it names none, or what no page names."""
    return tuple(said.split(",")) if NAMES.fullmatch(said) else None
