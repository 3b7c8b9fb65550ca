"""Detect whether anything was written, by the row counts of all tables and the heads of the log and the event."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.apps import apps
from django.db import connection

from tournament.models import AuditHead, Event

APPS: Final = ("tournament", "pairing", "scoring")


@dataclass(frozen=True, slots=True)
class Stand:
    rows: Mapping[str, int]
    log: tuple[int, str]
    version: int
    state: str

    def differs(self, other: "Stand") -> str:
        tables = [name for name, count in self.rows.items() if other.rows.get(name) != count]
        return ", ".join(tables) or f"{other.log}, {other.version} became {self.log}, {self.version}"


def stand_of(event: Event) -> Stand:
    version, state = Event.objects.values_list("version", "state").get(pk=event.pk)
    head = AuditHead.objects.filter(tournament=event.tournament_id).values_list("seq", "digest").first()
    return Stand(_rows(), head or (0, ""), version, state)


def _rows() -> dict[str, int]:
    tables = [model._meta.db_table for name in APPS for model in apps.get_app_config(name).get_models()]
    quoted = {table: connection.ops.quote_name(table) for table in tables}
    counts = ", ".join(f"(SELECT COUNT(*) FROM {name})" for name in quoted.values())
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {counts}")  # table names of our own models, quoted
        row = cursor.fetchone()
    return dict(zip(tables, row, strict=True))
