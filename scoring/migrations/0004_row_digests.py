"""Give the log a digest of every row that was on record before the log kept one of each row that a write touches.

One log row for each event and one for each tournament says so. The functions here are those of the program as it was
when this migration was written, so that later changes of the program do not change what this migration does.
"""

import hashlib
import json
from datetime import UTC, datetime

import rfc8785
from django.db import migrations
from django.db.models import ForeignKey, Q
from django.utils import timezone

OURS = ("tournament", "pairing", "scoring")
UNCHECKED = (
    *("AuditEntry", "AuditHead", "User", "SignInLink", "SecretDigest", "TopicVersion", "IdempotencyKey"),
    *("Job", "MessageCopy", "FilePart", "ImportRow", "User_groups", "User_user_permissions"),
)
LEFT_OUT = {"Event": ("version",), "SealKey": ("made_at",)}
EMPTY = (None, "", 0, False, [], {})


def add_digests(apps, schema_editor):
    tournament_model = apps.get_model("tournament", "Tournament")
    models = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label in OURS and model._meta.object_name not in UNCHECKED
    ]
    for tournament in tournament_model.objects.order_by("pk"):
        for event in [*tournament.events.order_by("pk"), None]:
            digests = {}
            for model in models:
                rows = rows_of(model, tournament, event).iterator(chunk_size=2000)
                if found := {str(row.pk): digest_of(row) for row in rows}:
                    digests[model._meta.db_table] = found
            add_log_row(apps, tournament, event, digests)


def rows_of(model, tournament, event):
    """Return the rows of an event, or with None, the tournament's rows that belong to no event."""
    name, rows = model._meta.object_name, model._base_manager.order_by("pk")
    to_event, to_tournament = way(model, "Event"), way(model, "Tournament")
    if event is not None:
        if name == "Event":
            return rows.filter(pk=event.pk)
        if name == "Player":
            return rows.filter(members__entrant__event=event).distinct()
        return rows.filter(**{to_event: event.pk}) if to_event else rows.none()
    if name == "Tournament":
        return rows.filter(pk=tournament.pk)
    if name in ("Event", "Player") or not to_tournament:
        return rows.none()
    without_event = Q(**{f"{to_event}__isnull": True}) if to_event else Q()
    return rows.filter(without_event, **{to_tournament: tournament.pk})


def way(model, target):
    """The shortest way along foreign keys to a model, “card__match__event”; None: there is none."""
    ways, seen = [(model, "")], {model._meta.object_name}
    for each, begun in ways:
        for field in each._meta.concrete_fields:
            if not isinstance(field, ForeignKey):
                continue
            to = field.related_model._meta.object_name
            if to == target:
                return f"{begun}{field.name}"
            if to not in seen and to not in ("Event", "Player"):
                seen.add(to)
                ways.append((field.related_model, f"{begun}{field.name}__"))
    return None


def digest_of(row):
    left_out = LEFT_OUT.get(row._meta.object_name, ())
    said = {
        field.attname: plain(getattr(row, field.attname))
        for field in row._meta.concrete_fields
        if field.attname not in left_out
    }
    text = json.dumps({name: value for name, value in said.items() if value not in EMPTY}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def plain(value):
    if value is None or type(value) in (str, int, bool):
        return value
    return json.loads(json.dumps(value, default=as_text))


def as_text(value):
    if isinstance(value, bytes | memoryview):
        return hashlib.sha256(value).hexdigest()
    return in_utc(value) if isinstance(value, datetime) else str(value)


def in_utc(at):
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def add_log_row(apps, tournament, event, digests, about=""):
    head, _made = apps.get_model("tournament", "AuditHead").objects.get_or_create(tournament=tournament)
    rows = sum(map(len, digests.values()))
    entry = apps.get_model("tournament", "AuditEntry")(
        tournament=tournament,
        seq=head.seq + 1,
        at=timezone.now(),
        event=event,
        by_name="system",
        verb="record.digests-added",
        about=about or f"digests of the {rows} rows on record, by a new version of the program",
        row_digests=digests,
        previous=head.digest,
    )
    content = {
        "tournament": entry.tournament_id,
        "seq": entry.seq,
        "at": entry.at.isoformat(timespec="microseconds"),
        "event": entry.event_id,
        "user": None,
        "by": entry.by_name,
        "verb": entry.verb,
        "about": entry.about,
        "reason": "",
        "data": entry.data,
        "row_digests": digests,
        "previous": entry.previous,
    }
    entry.digest = hashlib.sha256(rfc8785.dumps(content)).hexdigest()
    entry.save()
    head.seq, head.digest = entry.seq, entry.digest
    head.save()


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0003_scorekeepers_signature"),
        ("pairing", "0001_initial"),
        ("tournament", "0039_row_digests"),
    ]

    operations = [migrations.RunPython(add_digests, migrations.RunPython.noop)]
