"""Queries whose SQL is compiled only once.

Compiling a query takes Django longer than reading a few rows. These queries run after each hand that a phone sends,
and while a hand holds the lock on the event's row.

    lines_of = Prepared(lambda card: SheetLine.objects.filter(card=card))
    keep_related(card, "lines", lines_of(card.pk), back="card")
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet
from django.db.models.query import ModelIterable
from django.db.models.sql.compiler import SQLCompiler

M = TypeVar("M", bound=Model)

STAND_INS: Final = (-2_000_000_011, -2_000_000_021, -2_000_000_033)
"""Integers that are no row's primary key. They mark the places of the values in a compiled query."""


class Prepared(Generic[M]):
    """A query that `make` builds once for each database vendor, and that is called with primary keys.

    Nothing in the query may change from call to call except these values.
    """

    def __init__(self, make: Callable[..., QuerySet[M]], *, values: int = 1) -> None:
        self._make, self._count = make, values
        self._ready: dict[str, _Ready[M]] = {}

    def __call__(self, *values: int) -> list[M]:
        vendor = connections[DEFAULT_DB_ALIAS].vendor
        ready = self._ready.get(vendor)
        if ready is None:
            ready = self._ready[vendor] = _ready(self._make(*STAND_INS[: self._count]))
        asked: Any = _Asked(ready, values)
        return list(ModelIterable(asked))


@dataclass(frozen=True, slots=True)
class _Ready(Generic[M]):
    compiler: SQLCompiler
    sql: str
    params: tuple[Any, ...]

    def with_values(self, values: Sequence[int]) -> "tuple[str, tuple[Any, ...]]":
        given = dict(zip(STAND_INS, values, strict=False))
        return self.sql, tuple(given.get(param, param) if type(param) is int else param for param in self.params)


def _ready(rows: QuerySet[M]) -> _Ready[M]:
    compiler = rows.query.get_compiler(DEFAULT_DB_ALIAS)
    sql, params = compiler.as_sql()
    return _Ready(compiler, sql, tuple(params))


class _Asked(Generic[M]):
    """The parts of a query set and its query that `ModelIterable` needs."""

    db = DEFAULT_DB_ALIAS
    _known_related_objects: Final[dict[Any, Any]] = {}

    def __init__(self, ready: _Ready[M], values: Sequence[int]) -> None:
        self._ready, self._values = ready, values

    @property
    def query(self) -> "_Asked[M]":
        return self

    def get_compiler(self, using: str) -> SQLCompiler:
        compiler = _Compiled.__new__(_Compiled)
        compiler.__dict__.update(self._ready.compiler.__dict__, connection=connections[using])
        compiler.said = self._ready.with_values(self._values)
        return compiler


class _Compiled(SQLCompiler):
    """A compiler that returns SQL that was compiled before."""

    said: tuple[str, tuple[Any, ...]]

    def as_sql(self, *_args: Any, **_options: Any) -> tuple[str, tuple[Any, ...]]:
        return self.said


def keep_related(row: Model, name: str, rows: Iterable[Model], *, back: str) -> None:
    """Make `row.<name>.all()` return these rows, as `prefetch_related` would.

    `back` is the field that leads to the row. Other methods (`filter`, `values_list`) still query the database.
    """
    listed, kept = list(rows), _of_row(row, name, back)
    for one in listed:
        setattr(one, back, row)
    kept._result_cache, kept._prefetch_done = listed, True
    whole: Any = row
    whole.__dict__.setdefault("_prefetched_objects_cache", {})[name] = kept


def _of_row(row: Model, name: str, back: str) -> Any:
    """Return the query set of a relation. Its filter is deferred until it is used, which is rare."""
    found: Any = QuerySet(row._meta.get_field(name).related_model)
    found._deferred_filter = False, (), {back: row}
    return found
