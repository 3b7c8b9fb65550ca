"""Every column of every table changed in the database, and every row deleted: `verify_event` sees it, or names it.

A change is made past the program, in one row of each table, looked at, and rolled back.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from random import Random
from typing import Any

from django.apps import apps
from django.core.cache import cache
from django.db import DatabaseError, connection, models, transaction

from scoring.verification.selectors.checks import check_every_row
from scoring.verification.selectors.event import verify_event
from tests.devtools.whole_events.values import Disagreement
from tournament.core.selectors.log import OURS, UNCHECKED, WHOLE
from tournament.models import Event

Change = tuple[str, str, list[Any]]
"""“pairing_draw.order”, the statement, and its parameters."""


def unseen_changes(event: Event, dice: Random, share: float) -> Iterator[Disagreement]:
    """So many of all changes, as a share, that `verify_event` neither sees nor names as unchecked."""
    for place, statement, parameters in _changes(dice):
        if dice.random() < share and not _is_refused_or_seen(event, statement, parameters):
            yield Disagreement("changed rows", place, "a problem of `verify_event`", "no problem")


def _changes(dice: Random) -> Iterator[Change]:
    for model in apps.get_models(include_auto_created=True):
        left_out = UNCHECKED.get(model._meta.label, {})
        if model._meta.app_label not in OURS or WHOLE in left_out:
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
    return any(not check.good for check in check_every_row(event)) or any(
        not check.good for check in verify_event(event)
    )


def _other(field: models.Field[Any, Any], value: Any, dice: Random) -> Any:
    """Another value that the column could have, as the database takes it."""
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
    """The same JSON with another value at its first leaf."""
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
