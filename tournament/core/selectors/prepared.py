"""Queries whose SQL is compiled only once. Compiling a query takes Django longer than reading a few rows.

These queries run for each hand that a phone sends, while the event's row is locked.

    lines_of = PreparedQuery(lambda card: SheetLine.objects.filter(card=card))
    cache_related_rows(card, "lines", lines_of(card.pk), back="card")
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet
from django.db.models.query import ModelIterable
from django.db.models.sql.compiler import SQLCompiler

_M = TypeVar("_M", bound=Model)

PLACEHOLDER_KEYS: Final = (-2_000_000_011, -2_000_000_021, -2_000_000_033)
"""Numbers that are never a primary key. They mark where the parameters go in a compiled query."""


class PreparedQuery(Generic[_M]):
    """A query that is called with primary keys. `make` builds it once for each database vendor.

    Only these keys may differ between two calls.
    """

    def __init__(self, make: Callable[..., QuerySet[_M]], *, values: int = 1) -> None:
        self._make, self._count = make, values
        self._compiled: dict[str, tuple[SQLCompiler, str, tuple[Any, ...]]] = {}

    def __call__(self, *values: int) -> list[_M]:
        vendor = connections[DEFAULT_DB_ALIAS].vendor
        if vendor not in self._compiled:
            compiler = self._make(*PLACEHOLDER_KEYS[: self._count]).query.get_compiler(DEFAULT_DB_ALIAS)
            sql, params = compiler.as_sql()
            self._compiled[vendor] = compiler, sql, tuple(params)
        compiler, sql, params = self._compiled[vendor]
        given = dict(zip(PLACEHOLDER_KEYS, values, strict=False))
        filled = tuple(given.get(param, param) if type(param) is int else param for param in params)
        query: Any = _PreparedQuerySource(compiler, (sql, filled))
        return list(ModelIterable(query))


class _PreparedQuerySource:
    """The parts of a query set and its query that Django's `ModelIterable` needs."""

    db = DEFAULT_DB_ALIAS
    _known_related_objects: Final[dict[Any, Any]] = {}

    def __init__(self, compiler: SQLCompiler, statement: tuple[str, tuple[Any, ...]]) -> None:
        self._compiler, self._statement = compiler, statement

    @property
    def query(self) -> "_PreparedQuerySource":
        return self

    def get_compiler(self, using: str) -> SQLCompiler:
        compiler = _PrecompiledCompiler.__new__(_PrecompiledCompiler)
        compiler.__dict__.update(self._compiler.__dict__, connection=connections[using])
        compiler.statement = self._statement
        return compiler


class _PrecompiledCompiler(SQLCompiler):
    """A stand-in for Django's SQL compiler that returns a precompiled statement."""

    statement: tuple[str, tuple[Any, ...]]

    def as_sql(self, *_args: Any, **_options: Any) -> tuple[str, tuple[Any, ...]]:
        return self.statement


def cache_related_rows(row: Model, name: str, rows: Iterable[Model], *, back: str) -> None:
    """Make `row.<name>.all()` return these rows, as `prefetch_related` would.

    `back` is the foreign key from these rows to `row`.

    Other methods such as `filter` and `values_list` still query the database.
    """
    related = list(rows)
    for each in related:
        setattr(each, back, row)
    query_set: Any = QuerySet(row._meta.get_field(name).related_model)
    query_set._deferred_filter = False, (), {back: row}  # applied only if it is used, which is rare
    query_set._result_cache, query_set._prefetch_done = related, True
    vars(row).setdefault("_prefetched_objects_cache", {})[name] = query_set
