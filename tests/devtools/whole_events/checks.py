"""Check `verify_event`, and check that a rejected action changes no row."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterator
from random import Random
from typing import Any

from django.apps import apps
from django.core.cache import cache
from django.db import DatabaseError, connection, models, transaction

from scoring.verification.selectors.checks import check_every_row
from scoring.verification.selectors.event import verify_event
from tests.devtools.whole_events.files import run_command
from tests.devtools.whole_events.values import Disagreement, Found
from tournament.core.selectors.log import ALL_COLUMNS, RECORDED_APPS, UNCHECKED_COLUMNS
from tournament.models import Event, User


def ask_verify_event(tournament: str, event: str) -> tuple[dict[str, Any], int]:
    status, output = run_command("verify_event", tournament, event, "--json")
    return json.loads(output.strip().splitlines()[-1]), status


def compare_check(tournament: str, event: str, differing: list[str], cards: int) -> Found:
    """Check that `verify_event` reports each match whose card and result differ, and no other problem.

    It also has to report the number of cards.
    """
    answer, status = ask_verify_event(tournament, event)
    where = f"verify_event {tournament} {event} --json"
    problems = answer["problems"]
    if answer["ok"] != (not problems) or status != (1 if problems else 0):
        yield Disagreement(
            "verify_event", where, "ok, problems and exit status agree", (answer["ok"], problems, status)
        )
    said = [f"{one['code']} {one['place']}: {one['message']}" for one in problems]
    for ident in differing:
        if not any(ident in one for one in said):
            yield Disagreement("verify_event", where, f"a problem that names {ident}", said, "card and result differ")
    for one in said:
        if not any(ident in one for ident in differing):
            yield Disagreement("verify_event", where, "no problem", one, "honest rows")
    if answer["checked"].get("cards", cards) != cards:
        yield Disagreement("verify_event: cards", where, cards, answer["checked"]["cards"], "cards on record")


def read_all_rows() -> dict[str, list[str]]:
    """Return the sorted rows of each table as text."""
    rows: dict[str, list[str]] = {}
    with connection.cursor() as cursor:
        for model in (
            model for app in RECORDED_APPS for model in apps.get_app_config(app).get_models(include_auto_created=True)
        ):
            table = model._meta.db_table
            cursor.execute(f'SELECT * FROM "{table}"')
            rows[table] = sorted(repr(row) for row in cursor.fetchall())
    return rows


def rows_digests() -> dict[str, str]:
    """Return a digest of each table's rows. The digest does not depend on the order of the rows."""
    return {table: hashlib.sha256("".join(rows).encode()).hexdigest() for table, rows in read_all_rows().items()}


def compare_earlier_rows(earlier: dict[str, list[str]]) -> Found:
    """Check that the database still has all of these rows, unchanged.

    Later rows are allowed. Accounts are left out, because they contain the time of the last sign-in.
    """
    for table, rows in read_all_rows().items():
        for row in set(earlier[table]) - set(rows) if table != User._meta.db_table else ():
            yield Disagreement("earlier row", table, row, "no such row")


def tables_that_differ(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return sorted(table for table in after if before.get(table) != after[table])


Change = tuple[str, str, list[Any]]
"""A label such as “pairing_draw.order”, the SQL statement, and its parameters."""


def unseen_changes(event: Event, dice: Random, share: float) -> Iterator[Disagreement]:
    """Change columns and delete rows, and report each change that `verify_event` does not notice.

    Columns that are listed as unchecked are skipped.
    """
    for place, statement, parameters in _changes(dice):
        if dice.random() < share and not _is_refused_or_seen(event, statement, parameters):
            yield Disagreement("changed rows", place, "a problem of `verify_event`", "no problem")


def _changes(dice: Random) -> Iterator[Change]:
    for model in apps.get_models(include_auto_created=True):
        left_out = UNCHECKED_COLUMNS.get(model._meta.label, {})
        if model._meta.app_label not in RECORDED_APPS or ALL_COLUMNS in left_out:
            continue
        row = model._base_manager.order_by("pk").last() if dice.random() < 0.5 else model._base_manager.first()
        if row is None:
            continue
        table, where = model._meta.db_table, f'WHERE "{model._meta.pk.column}" = %s'
        for field in model._meta.concrete_fields:
            if not field.primary_key and field.attname not in left_out:
                value = _other(field, getattr(row, field.attname), dice)
                yield f"{table}.{field.column}", f'UPDATE "{table}" SET "{field.column}" = %s {where}', [value, row.pk]
        yield f"{table}, a deleted row", f'DELETE FROM "{table}" {where}', [row.pk]


def _is_refused_or_seen(event: Event, statement: str, parameters: list[Any]) -> bool:
    with transaction.atomic():
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement, parameters)
        except DatabaseError:
            return True
        try:
            cache.clear()
            changed = Event.objects.select_related("tournament").filter(pk=event.pk).first()
            return changed is None or _has_problems(changed)
        finally:
            transaction.set_rollback(True)


def _has_problems(event: Event) -> bool:
    return any(not check.passed for check in check_every_row(event)) or any(
        not check.passed for check in verify_event(event)
    )


def _other(field: models.Field[Any, Any], value: Any, dice: Random) -> Any:
    """Return a different value for the column, in the form that the database driver expects."""
    match field:
        case models.ForeignKey():
            others = field.related_model._base_manager.exclude(pk=value).values_list("pk", flat=True)
            return dice.choice([*others, None] if field.null and value is not None else [*others] or [999_999])
        case models.JSONField():
            return json.dumps(_other_leaf(value))
        case models.BooleanField():
            return not value
        case models.DateTimeField():
            later = (value or dt.datetime(2026, 1, 1, tzinfo=dt.UTC)) + dt.timedelta(hours=1)
            return connection.ops.adapt_datetimefield_value(later)
        case models.DateField():
            return (value or dt.date(2026, 1, 1)) + dt.timedelta(days=1)
        case models.IntegerField():
            return (value or 0) + 1
        case models.BinaryField():
            return bytes(value or b"") + b"x"
    others = [key for key, _name in field.flatchoices if key != value]
    return dice.choice(others) if others else (value or "") + "x"


def _other_leaf(value: Any) -> Any:
    """Return the same JSON, except that its first number or string is different."""
    match value:
        case {} if value:
            first = min(value)
            return {**value, first: _other_leaf(value[first])}
        case [first, *rest]:
            return [_other_leaf(first), *rest]
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}1"
    return [1] if value == [] else {"a": 1} if value == {} else 1
