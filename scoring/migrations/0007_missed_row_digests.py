"""Give the log a digest of each row that `0004_row_digests` missed.

That migration followed the shortest path of foreign keys from a row to its event. It missed a row if a key on that path
was null, such as the seat of a team, which has no entrant. `verify_event` reported these rows as added in the database.

Only rows from before `0004_row_digests` get a digest here. A later row without a digest was not written by the program,
so `verify_event` must still report it.

It uses the functions of `0004_row_digests`, which later changes of the program do not affect.
"""

from importlib import import_module

from django.db import migrations

earlier = import_module("scoring.migrations.0004_row_digests")
VERB = "record.digests-added"
MISSED = {
    "CardSeat": ("entrant", "card__match__event", "card__opened_at"),
    "Cut": ("keeper", "card__match__event", "at"),
    "Signature": ("entrant", "card__match__event", "at"),
    "UpCard": ("entrant", "card__match__event", "at"),
    "HandCheck": ("entrant", "line__card__match__event", "at"),
    "Appeal": ("entrant", "ruling__dispute__event", "at"),
    "AppealDecided": ("appeal__entrant", "appeal__ruling__dispute__event", "at"),
}
"""The paths from each model to the key that is null in missed rows, to the event, and to a time of the row."""


def add_missed_digests(apps, schema_editor):
    tournaments, log = apps.get_model("tournament", "Tournament"), apps.get_model("tournament", "AuditEntry")
    heads = apps.get_model("tournament", "AuditHead")
    updated = log.objects.filter(verb=VERB, event__isnull=False)
    for tournament in tournaments.objects.filter(pk__in=updated.values("tournament")).order_by("pk"):
        events = list(tournament.events.select_for_update().order_by("pk"))  # in the order in which the program locks
        head, recorded = heads.objects.select_for_update().filter(tournament=tournament).first(), None
        for event in events if head else ():
            update = updated.filter(event=event).order_by("seq").first()
            candidates = find_candidates(apps, event, update.at) if update else {}
            if candidates and recorded is None:
                recorded = find_recorded_rows(apps, tournament)
            digests = {}
            for table, rows in candidates.items():
                if missed := {str(row.pk): earlier.digest_of(row) for row in rows if (table, row.pk) not in recorded}:
                    digests[table] = missed
            if digests:
                count = sum(map(len, digests.values()))
                rows = f"{count} {'row' if count == 1 else 'rows'}"
                about = f"digests of {rows} that an earlier update left out"
                earlier.add_log_row(apps, tournament, event, digests, about)


def find_candidates(apps, event, updated_at):
    """Return the rows of the event that `0004_row_digests` did not find, by table."""
    candidates = {}
    for name, (key, to_event, time) in MISSED.items():
        model = apps.get_model("scoring", name)
        found = {f"{key}__isnull": True, to_event: event.pk, f"{time}__lte": updated_at}
        if rows := list(model._base_manager.filter(**found).order_by("pk")):
            candidates[model._meta.db_table] = rows
    return candidates


def find_recorded_rows(apps, tournament):
    """Return the table and the current primary key of each row for which the log has a digest.

    An import may have added a number to the primary keys in earlier log rows.
    """
    tables = {apps.get_model("scoring", name)._meta.db_table for name in MISSED}
    imports = list(tournament.imports.values_list("log_rows", "key_offset"))
    recorded = set()
    for seq, by_table in tournament.log.exclude(row_digests={}).values_list("seq", "row_digests").iterator():
        offset = sum(key_offset for log_rows, key_offset in imports if seq <= log_rows)
        for table in tables:
            digests = by_table.get(table) if isinstance(by_table, dict) else None  # an altered log may have anything
            recorded |= {(table, int(pk) + offset) for pk in digests or () if pk.isdecimal()}
    return recorded


class Migration(migrations.Migration):
    dependencies = [("scoring", "0006_signed_in_by_link"), ("tournament", "0045_tournament_import")]

    survived_by_previous_version = (
        "It adds log rows as the previous version does, under the same locks. Version 1.0.0 knows their verb."
    )

    operations = [migrations.RunPython(add_missed_digests, migrations.RunPython.noop)]
