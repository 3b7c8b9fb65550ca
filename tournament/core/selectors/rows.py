"""Convert a tournament's rows to plain JSON and back, and restore the primary keys with which they were recorded.

A tournament file (`scoring.archive`) contains its rows in this form. If another tournament already uses the same
primary keys, the imported rows get new ones. The log is never rewritten, so its digests still cover the old keys.
`RecordedKeys` restores them, so that a row can be compared with the log.
"""

from __future__ import annotations

import base64
import copy
import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, TypeVar

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db.models import (
    AutoField,
    BinaryField,
    BooleanField,
    CharField,
    DateField,
    DateTimeField,
    Field,
    FileField,
    ForeignKey,
    JSONField,
    Model,
    Q,
    QuerySet,
    TextField,
)
from django.utils.dateparse import parse_date, parse_datetime

from tournament.core.selectors.log import format_time, list_recorded_models
from tournament.models import AuditEntry, Event, Player, PlayerCorrection, Tournament, TournamentImport

# --- Which rows belong to a tournament -------------------------------------------------------------------------------


@cache
def find_foreign_key_path(model: type[Model], target: type[Model], *, through_event: bool = False) -> str | None:
    """Return the shortest path of foreign keys from `model` to `target`, or None if there is no path.

    An example is “card__match__event”. Paths through a player are ignored. Paths through an event are ignored unless
    `through_event` is true. A path whose keys are never null is preferred.
    """
    barred = (Player,) if through_event else (Event, Player)
    for allows_null in (False, True):
        paths: list[tuple[type[Model], str]] = [(model, "")]
        seen = {model}
        for each, path in paths:
            for column in each._meta.concrete_fields:
                if not isinstance(column, ForeignKey) or (column.null and not allows_null):
                    continue
                to, name = column.related_model, f"{path}{column.name}"
                if to is target:
                    return name
                if to not in seen and to not in barred:
                    seen.add(to)
                    paths.append((to, f"{name}__"))
    return None


@cache
def list_archived_models() -> tuple[type[Model], ...]:
    """Return the models whose rows are part of a tournament's file, in a fixed order.

    These are all models that the log covers and that belong to a tournament, and those in `ARCHIVED_UNRECORDED_MODELS`.
    """
    recorded = [model for model in list_recorded_models() if model._meta.label not in SHARED_MODELS]
    unrecorded = [apps.get_model(label) for label in ARCHIVED_UNRECORDED_MODELS]
    return tuple(sorted([*recorded, *unrecorded], key=lambda model: model._meta.label))


ARCHIVED_UNRECORDED_MODELS: Final = (
    "tournament.LogSeal",
    "tournament.IdempotencyKey",
    "tournament.ImportRow",
    "tournament.MessageCopy",
)
"""Models that the log does not cover, but that an event needs to continue on another computer."""

SHARED_MODELS: Final[Mapping[str, str]] = {"tournament.User": "email", "scoring.SealKey": "public"}
"""Models whose rows belong to the installation, and the column by which a file refers to them.

Imported rows refer to the installation's own rows instead.
"""


def select_tournament_rows(model: type[Model], tournament: Tournament) -> QuerySet[Any]:
    """Return all rows of the model that belong to the tournament.

    Players belong to it if they entered one of its events.
    """
    rows: QuerySet[Any] = model._base_manager.all()
    if model is Tournament:
        return rows.filter(pk=tournament.pk)
    if path := find_foreign_key_path(model, Tournament, through_event=True):
        return rows.filter(**{path: tournament.pk})
    people = _select_people(Q(members__entrant__event__tournament=tournament.pk))
    if model is Player:
        return rows.filter(Q(pk__in=people) | Q(pk__in=people.values("merged_into")))
    if to_player := _find_path_to_player(model):
        return rows.filter(**{f"{to_player}__in": people})
    return rows.none()


def _select_people(entered: Q) -> QuerySet[Player]:
    """Return the players who entered, and the player records that were merged with theirs."""
    return Player.objects.filter(entered | Q(merged__in=Player.objects.filter(entered)))


MODELS_SHARED_BY_EVENTS: Final[Mapping[str, str]] = {
    "tournament.StaffRole": "tournament",
    "tournament.LogSeal": "tournament",
    "tournament.TournamentImport": "tournament",
    "tournament.IdempotencyKey": "tournament",
    "tournament.Drawer": "movements__event",
    "tournament.BankTransfer": "match__line__event",
    "tournament.BankList": "",
    "tournament.CashMoved": "",
    "tournament.DayOpened": "",
    "tournament.DayCount": "",
    "tournament.DayClose": "",
    "tournament.DayReopened": "",
    "tournament.DrawerClosed": "",
}
"""Models whose rows belong to no single event, each with a rule for which rows go into an event file.

The rule `tournament` selects all rows of the tournament. A path of foreign keys selects the rows that were used for the
event. An empty rule selects no rows: cash counts and daily closes, for example, concern the money of all events.
"""


def select_event_rows(model: type[Model], event: Event) -> QuerySet[Any]:
    """Return all of the model's rows that this event's file contains.

    These are the event's own rows, its people, and the rows that it shares with other events
    (`MODELS_SHARED_BY_EVENTS`). All corrections of its people are included, even if they were recorded at another
    event, because papers show earlier names.
    """
    rows: QuerySet[Any] = model._base_manager.all()
    if model is Tournament or model is Event:
        return rows.filter(pk=event.pk if model is Event else event.tournament_id)
    people = _select_people(Q(members__entrant__event=event.pk))
    players = Player.objects.filter(Q(pk__in=people) | Q(pk__in=people.values("merged_into")))
    if model is Player:
        return players
    if model is PlayerCorrection:
        return rows.filter(Q(event=event.pk) | Q(event__tournament=event.tournament_id, player__in=players))
    if path := MODELS_SHARED_BY_EVENTS.get(model._meta.label):
        return rows.filter(**{path: event.tournament_id if path == "tournament" else event.pk})
    if path := find_foreign_key_path(model, Event):
        return rows.filter(**{path: event.pk})
    if to_player := _find_path_to_player(model):  # merges of two people of this event
        to_merge = to_player.removesuffix("kept")
        return rows.filter(**{f"{to_merge}kept__in": people, f"{to_merge}gone__in": players})
    return rows.none()


def _find_path_to_player(model: type[Model]) -> str | None:
    for column in model._meta.concrete_fields:
        if isinstance(column, ForeignKey):
            if column.related_model is Player:
                return column.name
            if not column.null and (path := _find_path_to_player(column.related_model)):
                return f"{column.name}__{path}"
    return None


# --- A row as JSON ---------------------------------------------------------------------------------------------------


@cache
def get_archived_columns(model: type[Model]) -> tuple[Field[Any, Any], ...]:
    """Return the columns of a model that a file contains. The primary key is not one of them."""
    return tuple(column for column in model._meta.concrete_fields if not column.primary_key)


def row_to_json(row: Model, shared: Mapping[str, Mapping[int, str]]) -> dict[str, Any]:
    """Return the columns of a row as JSON data, without its primary key and without columns that are null.

    Times are in UTC with microseconds, dates are ISO dates, and binary content is in base64. A foreign key becomes the
    primary key of the other row. If the other row is shared by tournaments, it becomes that row's name in `shared`,
    which maps models and primary keys to names.
    """
    columns = {}
    for column in get_archived_columns(type(row)):
        value = getattr(row, column.attname)
        if isinstance(column, ForeignKey) and column.related_model._meta.label in shared and value is not None:
            value = shared[column.related_model._meta.label][value]
        columns[column.name] = _value_to_json(value)
    return {name: value for name, value in columns.items() if value is not None}


def _value_to_json(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, dt.datetime):
        return format_time(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    return str(value) if isinstance(value, str) or hasattr(value, "storage") else value


def row_from_json(
    model: type[Model], key: int, columns: Mapping[str, Any], shared: Mapping[str, Mapping[str, int]]
) -> Model:
    """Return an unsaved row with these columns. `shared` maps models and names to the primary keys of shared rows.

    Raises:
        ValueError: a column is missing or unknown, or has a value of the wrong type.
        KeyError: the name of a shared row is unknown.
    """
    row = model(pk=key)
    known = {column.name: column for column in get_archived_columns(model)}
    if unknown := columns.keys() - known.keys():
        raise ValueError(f"{model._meta.object_name} has no {sorted(unknown)[0]}")
    for name, column in known.items():
        if name in columns:
            value, label = columns[name], column.related_model._meta.label if isinstance(column, ForeignKey) else ""
            value = shared[label][value] if label in shared else _value_from_json(column, value)
            setattr(row, column.attname, value)
        elif column.null:
            setattr(row, column.attname, None)
        elif not column.has_default() and column.db_default is None:
            raise ValueError(f"{model._meta.object_name} {key} has no {name}")
    return row


def _value_from_json(column: Field[Any, Any], value: Any) -> Any:
    """Return the value of a column. Reject a value that the program itself could not have stored."""
    found = _parse_value(column, value)
    if column.flatchoices and found not in ("", *(choice for choice, _label in column.flatchoices)):
        raise ValueError(f"{column.name} has an unknown value")
    if not isinstance(column, ForeignKey | JSONField):
        try:
            column.run_validators(found)
        except ValidationError as error:
            raise ValueError(f"{column.name} has a value that is too long or out of range") from error
    return found


def _parse_value(column: Field[Any, Any], value: Any) -> Any:
    accepted: tuple[type, ...]
    if isinstance(column, JSONField):
        return value
    if isinstance(column, ForeignKey):
        if type(value) is not int:
            raise ValueError(f"{column.name} is no primary key")
        return value
    if isinstance(column, BinaryField):
        return base64.b64decode(value, validate=True)
    if isinstance(column, DateTimeField):
        at = parse_datetime(value) if isinstance(value, str) else None
        if at is None or at.tzinfo is None:
            raise ValueError(f"{column.name} is no time with a zone")
        return at
    if isinstance(column, DateField):
        day = parse_date(value) if isinstance(value, str) else None
        if day is None:
            raise ValueError(f"{column.name} is no date")
        return day
    if isinstance(column, CharField | TextField | FileField):
        accepted = (str,)
    else:
        accepted = (bool,) if isinstance(column, BooleanField) else (int,)
    if type(value) not in accepted:
        raise ValueError(f"{column.name} has a value of the wrong type")
    return value


Row = TypeVar("Row", bound=Model)

# --- Primary keys ----------------------------------------------------------------------------------------------------

KEYS_IN_JSON: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "pairing.Pairing": {"record": ("with",)},
    "pairing.Stage": {"record": ("persons.*.*",)},
    "scoring.Ruling": {"effects": ("sheet.fact", "penalties.*.result", "penalties.*.game_of", "opened.*")},
    "scoring.StaffEntry": {"payload": ("keeper",)},
    "tournament.EntrantFact": {"data": ("left", "came")},
    "tournament.Merge": {"moved": ("*.member", "*.player")},
}
"""The paths of primary keys in JSON columns, by model and column. “*” means each item of a list or object."""

KEYS_WITHOUT_CONSTRAINT: Final[Mapping[str, tuple[str, ...]]] = {"tournament.Posting": ("drawer",)}
"""Columns that contain the primary key of another row, but are not foreign keys."""

KEYS_IN_TEXT: Final[Mapping[str, tuple[str, ...]]] = {"scoring.Card": ("sides_key",)}
"""Columns that contain several primary keys, separated by hyphens."""

PRINTED_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "tournament.Movement": ("receipt_key", "event_id", "tournament_id")
}
"""The columns that determine the primary key in printed receipt numbers, by model.

If an import has changed this key, the first column contains the printed key. Otherwise, the printed key is in the first
of the other columns that is not null.
"""

UNIQUE_TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "tournament.LinkRequest": ("browser",),
    "tournament.CardPayment": ("ident",),
    "tournament.CardEvent": ("ident",),
    "scoring.Card": ("token",),
}
"""Text columns that must be unique in the database.

If a tournament is imported as a copy, these texts get a prefix. Entrants get new private links.
"""


@dataclass(frozen=True, slots=True)
class PrimaryKeyChange:
    """The change that an import made to primary keys. `offset` is added to each key, except in `SHARED_MODELS`.

    `shared` maps, by model name, the file's keys of shared rows to the keys of this installation's rows. If the
    tournament is a copy, `prefix` is put before texts that must be unique (`UNIQUE_TEXTS`).
    """

    offset: int = 0
    shared: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    prefix: str = ""

    def inverse(self) -> PrimaryKeyChange:
        """Return the change that restores the original keys. Pass it to `change_keys` with `restores=True`."""
        shared = {label: {new: old for old, new in keys.items()} for label, keys in self.shared.items()}
        return PrimaryKeyChange(-self.offset, shared, self.prefix)


def change_keys(row: Row, change: PrimaryKeyChange, *, restores: bool = False) -> Row:
    """Return a copy of the row with all primary keys changed: its own key, foreign keys, and keys in JSON columns.

    If `restores` is true, the change restores the keys of an earlier installation (`PrimaryKeyChange.inverse`).
    """
    changed = copy.copy(row)
    changed._state = copy.copy(row._state)
    changed._state.fields_cache = {}
    label = row._meta.label
    if isinstance(row._meta.pk, AutoField):
        changed.pk = _change_key(row.pk, label, change)
    for column in row._meta.concrete_fields:
        value = getattr(row, column.attname)
        if isinstance(column, ForeignKey) and value is not None:
            value = _change_key(value, column.related_model._meta.label, change)
        elif column.name in KEYS_WITHOUT_CONSTRAINT.get(label, ()) and value is not None:
            value += change.offset
        elif column.name in KEYS_IN_TEXT.get(label, ()) and value:
            value = "-".join(str(int(key) + change.offset) for key in value.split("-"))
        elif column.name in KEYS_IN_JSON.get(label, {}):
            value = copy.deepcopy(value)
            for path in KEYS_IN_JSON[label][column.name]:
                _change_keys_in_json(value, path.split("."), change.offset)
        elif change.prefix and value and column.name in UNIQUE_TEXTS.get(label, ()):
            value = value.removeprefix(change.prefix) if restores else f"{change.prefix}{value}"
        else:
            continue
        setattr(changed, column.attname, value)
    if change.offset and label in PRINTED_KEYS:
        _change_printed_key(row, changed, *PRINTED_KEYS[label], restores=restores)
    return changed


def _change_printed_key(row: Model, changed: Model, printed: str, *current: str, restores: bool) -> None:
    """Keep the primary key that is on a row's paper receipt when an import changes the row's keys.

    The first change stores the old key in the column `printed`. If `restores` is true and the change brings the same
    key back, that column is emptied. `current` lists the columns that contain the current key.
    """
    key = next(each for name in current if (each := getattr(changed if restores else row, name)) is not None)
    if restores and getattr(row, printed) == key:
        setattr(changed, printed, None)
    elif not restores and getattr(row, printed) is None:
        setattr(changed, printed, key)


def _change_key(key: int, label: str, change: PrimaryKeyChange) -> int:
    return change.shared.get(label, {}).get(key, key) if label in SHARED_MODELS else key + change.offset


def _change_keys_in_json(value: Any, path: list[str], offset: int) -> None:
    step, *rest = path
    keys: list[Any]
    if isinstance(value, list):
        keys = list(range(len(value))) if step == "*" else []
    elif isinstance(value, dict):
        keys = list(value) if step == "*" else [step] if step in value else []
    else:
        return
    for key in keys:
        if rest:
            _change_keys_in_json(value[key], rest, offset)
        elif type(value[key]) is int:
            value[key] += offset
        elif isinstance(value[key], str) and value[key].isdecimal():
            value[key] = str(int(value[key]) + offset)


@dataclass(frozen=True, slots=True)
class RecordedKeys:
    """Finds the primary keys that a tournament's rows had when the log recorded them, before imports changed the keys.

    `imports` contains the changes of all imports, oldest first, each with the number of the last log row in the file.
    """

    imports: tuple[tuple[int, PrimaryKeyChange], ...] = ()

    def restore_row(self, row: Row, log_row: int) -> Row:
        """Return the row with the keys that it had when this log row was written."""
        for log_rows, change in reversed(self.imports):
            if log_row <= log_rows:
                row = change_keys(row, change.inverse(), restores=True)
        return row

    def find_current_key(self, label: str, key: int, log_row: int) -> int:
        """Return the current primary key of a row whose primary key is `key` in this log row.

        `label` names its model.
        """
        for log_rows, change in self.imports:
            if log_row <= log_rows:
                key = _change_key(key, label, change)
        return key

    def list_current_keys(self, label: str, key: int) -> list[int]:
        """Return all primary keys that a row can have now if it had this key at any time."""
        keys = [key]
        for _log_rows, change in self.imports:
            keys = [key, *(_change_key(each, label, change) for each in keys)]
        return list(dict.fromkeys(keys))

    def list_earlier_keys(self, label: str, key: int) -> list[int]:
        """Return all primary keys that log rows may use for this row, the current one first."""
        keys = [key]
        for _log_rows, change in reversed(self.imports):
            keys.append(_change_key(keys[-1], label, change.inverse()))
        return list(dict.fromkeys(keys))


def load_unknown_columns(tournament: int) -> dict[str, dict[str, Any]]:
    """Return columns from imported files that this version of the program does not know.

    Each key consists of a row's model and its current primary key.
    """
    unknown: dict[str, dict[str, Any]] = {}
    for row in TournamentImport.objects.filter(tournament=tournament).order_by("pk"):
        unknown |= row.unknown
    return unknown


def load_recorded_keys(tournament: int) -> RecordedKeys:
    """Return the changes that imports made to the primary keys of the tournament with this primary key."""
    imports = TournamentImport.objects.filter(tournament=tournament).order_by("pk")
    return RecordedKeys(tuple((each.log_rows, make_key_change(each)) for each in imports))


def make_key_change(row: TournamentImport) -> PrimaryKeyChange:
    shared = {label: {int(old): new for old, new in keys.items()} for label, keys in row.shared_keys.items()}
    return PrimaryKeyChange(row.key_offset, shared, row.prefix)


# --- Rows of a file without personal data ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RowsWithoutLog:
    """The rows that came from a file without personal data, by table and current primary key.

    Such a file has no log. The log of the copy begins with the import, which records one digest of each row. The log
    does not tell who recorded a row, and contains no earlier digests of it.
    """

    by_table: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.by_table)

    def list_keys(self, model: type[Model]) -> frozenset[int]:
        return self.by_table.get(model._meta.db_table, frozenset())


def load_rows_without_log(tournament: int) -> RowsWithoutLog:
    """Return the tournament's rows that came from a file without personal data. `tournament` is its primary key."""
    imports = TournamentImport.objects.filter(tournament=tournament).order_by("pk")
    origin = imports.values_list("origin", flat=True).first()
    if origin is None or origin.get("persons", True) is not False:
        return RowsWithoutLog()
    entry = AuditEntry.objects.filter(tournament=tournament, seq=1).first()
    if entry is None:  # somebody deleted the log row, which the check of the chain reports
        return RowsWithoutLog()
    keys = load_recorded_keys(tournament)
    labels = {model._meta.db_table: model._meta.label for model in list_recorded_models()}
    return RowsWithoutLog(
        {
            table: frozenset(keys.find_current_key(labels.get(table, ""), int(pk), entry.seq) for pk in digests)
            for table, digests in entry.row_digests.items()
        }
    )
