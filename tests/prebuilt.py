"""Run builders of database rows once, and insert the same rows again at later calls, which is faster.

    @prebuilt
    def an_event_in_play(entrants: int = 4) -> Event: …

The first call records the SQL statements that write, and pickles the result. A later call with the same arguments in
the same state of the database executes these statements and unpickles the result. Builders can follow each other: the
state after `an_event_in_play()` is known, so that a builder that continues the event is recorded, too.

A builder runs normally if the state of the database isn't known, for example after a test has changed a row. It also
runs normally in tests with `transaction=True` or `rows_of_module`, on PostgreSQL, while the clock is changed, inside
`writing`, and after a test has patched something. A builder must not need hooks that run after a commit, and the
values that it caches are removed. A test that checks the building itself calls `builder.__wrapped__`.
"""

from __future__ import annotations

import functools
import hashlib
import io
import pickle
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, ParamSpec, TypeVar

import pytest
import time_machine
from django.apps import apps
from django.conf import UserSettingsHolder, settings
from django.core import mail
from django.db import connection
from django.db.models import Model
from django.utils import timezone, translation

from tests.chance import seed_secrets

P = ParamSpec("P")
T = TypeVar("T")

USABLE_SECONDS: Final = 60
"""The number of seconds for which recorded rows are reused.

After that, the builder runs again, so that the times in its rows are recent.
"""
FILLED_BY_MIGRATIONS: Final = frozenset({"auth", "contenttypes", "sites"})
READING: Final = ("SELECT", "SAVEPO", "RELEAS", "PRAGMA")
NOT_STORED: Final = frozenset({"default_settings", "_deleted", "MEDIA_ROOT"})
"""Overridden settings that don't change the rows of a builder, and internals of Django's settings."""


@dataclass(frozen=True, slots=True)
class _State:
    """The state of the database after a series of builders.

    `key` identifies the inserted rows. `seed` depends only on the builders and their arguments, so it is the same in
    every run.
    """

    key: bytes
    seed: bytes


@dataclass(frozen=True, slots=True)
class _Built:
    statements: list[tuple[str, Any, bool]]
    pickled: bytes
    until: float
    state: _State


class _Memory:
    """The recorded calls, and the states of the database that they led to.

    The number of the current state is also stored in the database, so that a rollback resets it.
    """

    def __init__(self) -> None:
        self.built: dict[bytes, _Built] = {}
        self.states = [_State(b"", b"")]
        self.changes = -1

    def state(self) -> _State | None:
        """Return the current state of the database, or None if it isn't known."""
        number = _execute("PRAGMA user_version").fetchone()[0]
        if number and connection.connection.total_changes == self.changes:
            return self.states[number]
        if _execute(_find_any_row()).fetchone():
            return None
        _execute("DELETE FROM sqlite_sequence")  # the rows get the same primary keys in every test
        return self.states[0]

    def remember(self, key: bytes, seed: bytes, statements: list[Any], pickled: bytes) -> None:
        """Store a recorded call, and give the database a new state.

        The state is new even if the arguments were recorded before, because the rows contain different times.
        """
        state = _State(_digest(key, str(len(self.states)).encode()), seed)
        self.built = {other: each for other, each in self.built.items() if time.monotonic() < each.until}
        self.built[key] = _Built(statements, pickled, time.monotonic() + USABLE_SECONDS, state)
        self.mark(state)

    def mark(self, now: _State) -> None:
        self.states.append(now)
        _execute(f"PRAGMA user_version = {len(self.states) - 1}")
        self.changes = connection.connection.total_changes


_memory: Final = _Memory()
_patches: list[pytest.MonkeyPatch] = []


def begin_test(patches: pytest.MonkeyPatch) -> None:
    """Store the `monkeypatch` fixture of a test.

    Builders run normally, without recorded rows, after the test has patched something.
    """
    _patches[:] = [patches]


def prebuilt(build: Callable[P, T]) -> Callable[P, T]:
    """Decorate a builder so that it inserts the rows of an earlier call with the same arguments and database state."""

    @functools.wraps(build)
    def insert_or_build(*args: P.args, **kwargs: P.kwargs) -> T:
        every = [*args, *kwargs.values()]
        arguments = _pickled((args, kwargs)) if _is_usable() else None
        state = _memory.state() if arguments is not None else None
        if arguments is None or state is None:
            return build(*args, **kwargs)
        name = f"{build.__module__}.{build.__qualname__}".encode()
        key = _digest(state.key, name, arguments, _surroundings())
        seed = _digest(state.seed, name, _pickled((args, kwargs), _PicklerOfKeys) or b"")
        built = _memory.built.get(key)
        if built is not None and time.monotonic() < built.until:
            with _caches_left_alone(), connection.cursor() as cursor:
                for sql, params, many in built.statements:
                    (cursor.executemany if many else cursor.execute)(sql, params)
            _memory.mark(built.state)
            return _result_of(built.pickled, every)
        before = [_pickled(each) for each in every]
        with _caches_left_alone(), _recorded_writes() as statements, _secrets_of(seed):
            result = build(*args, **kwargs)
        changed = [at for at, each in enumerate(every) if _pickled(each) != before[at]]
        if None in statements or not all(isinstance(every[at], Model) for at in changed):
            return result
        values = {at: vars(every[at]) for at in changed}
        pickled = _pickled((values, result), functools.partial(_PicklerOfResult, arguments=every))
        if pickled is None:
            return result
        _memory.remember(key, seed, statements, pickled)
        return _result_of(pickled, every)

    return insert_or_build


def _is_usable() -> bool:
    """Return whether a builder's rows can now be recorded for later calls, or copied from an earlier call.

    This is not possible inside a `writing` block, because the block has to notice each row that is saved.
    """
    from tournament.core.topics import WriteTracker  # there are no models when this file is read

    return (
        not any(patches._setattr or patches._setitem for patches in _patches)
        and connection.vendor == "sqlite"
        and connection.in_atomic_block
        and not connection.needs_rollback
        and not any(isinstance(wrapper, WriteTracker) for wrapper in connection.execute_wrappers)
        and not time_machine.escape_hatch.is_travelling()
    )


@contextmanager
def _recorded_writes() -> Iterator[list[Any]]:
    """Collect the SQL statements in the block that write. A rollback to a savepoint is collected as None.

    Hooks that would run after a commit are dropped, because they don't run when the rows are inserted again.
    """
    statements: list[Any] = []

    def record(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(READING):
            statements.append(None if sql.startswith("ROLLBACK") else (sql, params, many))
        return execute(sql, params, many, context)

    hooks = len(connection.run_on_commit)
    with connection.execute_wrapper(record):
        yield statements
    del connection.run_on_commit[hooks:]


@contextmanager
def _secrets_of(seed: bytes) -> Iterator[None]:
    """Seed `secrets` within the block, so that recorded rows don't depend on the test that calls the builder first."""
    of_test = secrets.token_bytes, secrets.randbelow
    seed_secrets(seed.hex())
    try:
        yield
    finally:
        secrets.token_bytes, secrets.randbelow = of_test


@contextmanager
def _caches_left_alone() -> Iterator[None]:
    """Remove all values that are cached in this block.

    If the recorded rows are inserted later, nothing is cached, so the first run must not leave cached values either.
    """
    from tournament.core import cached  # there are no models when this file is read

    values = cached._cached_values.copy()
    yield
    cached._cached_values.clear()
    cached._cached_values.update(values)
    connection.transaction_cache.values.clear()  # type: ignore[attr-defined]


class _PicklerOfKeys(pickle.Pickler):
    """Pickles only the primary key of a row, because the row's other columns may contain times."""

    def persistent_id(self, value: object) -> object:
        return (value._meta.label, value.pk) if isinstance(value, Model) else None


class _PicklerOfResult(pickle.Pickler):
    """Pickles an argument of the builder as its position, so that unpickling returns the caller's own object."""

    def __init__(self, target: io.BytesIO, arguments: Sequence[object]) -> None:
        super().__init__(target)
        self.positions = {id(each): at for at, each in enumerate(arguments) if isinstance(each, Model)}

    def persistent_id(self, value: object) -> object:
        return self.positions.get(id(value))


def _pickled(value: object, kind: Callable[[io.BytesIO], pickle.Pickler] = pickle.Pickler) -> bytes | None:
    target = io.BytesIO()
    try:
        kind(target).dump(value)
    except (TypeError, AttributeError, pickle.PicklingError):
        return None
    return target.getvalue()


def _result_of(pickled: bytes, arguments: Sequence[object]) -> Any:
    """Return a copy of the recorded result, and change the arguments as the builder did.

    The first call also returns a copy, so that a test can't distinguish it from later calls.
    """
    reader = pickle.Unpickler(io.BytesIO(pickled))
    reader.persistent_load = arguments.__getitem__  # type: ignore[method-assign]
    changed, result = reader.load()
    for at, values in changed.items():
        vars(arguments[at]).clear()
        vars(arguments[at]).update(values)
    return result


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"|".join(parts)).digest()


def _surroundings() -> bytes:
    """Return what a builder's rows may depend on besides its arguments: settings, language, time zone, and mail."""
    overridden: dict[str, str] = {}
    layer = settings._wrapped
    while isinstance(layer, UserSettingsHolder):
        overridden = {**{name: repr(value) for name, value in vars(layer).items()}, **overridden}
        layer = layer.default_settings
    stored = sorted((name, value) for name, value in overridden.items() if name not in NOT_STORED)
    return repr((stored, translation.get_language(), timezone.get_current_timezone_name(), len(mail.outbox))).encode()


@functools.cache
def _find_any_row() -> str:
    """Return an SQL statement that finds a row if any table contains a row that no migration created."""
    models = apps.get_models(include_auto_created=True)
    tables = {model._meta.db_table for model in models if model._meta.app_label not in FILLED_BY_MIGRATIONS}
    return " UNION ALL ".join(f'SELECT 1 FROM "{table}"' for table in sorted(tables)) + " LIMIT 1"


def _execute(sql: str) -> Any:
    connection.ensure_connection()
    return connection.connection.execute(sql)
