"""The parts of a tournament that the file of one event leaves out: log rows about other events, and their rows.

The tournament's log is one chain. An imported file of one event has the digests of all its rows, but the contents only
of those that concern the event. So the chain can still be checked, and nothing about other events is in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Model

from tournament.models import TournamentImport

LEFT_OUT_VERB: Final = "record.left-out"
"""The verb of a log row of which only the digest is known, because it is about another event."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The parts that an imported tournament lacks.

    `log_rows` is the number of log rows without contents. All of them came with the file, which had the first `until`
    rows of the log. `rows` has the primary keys, by table, of rows that the log names and the file does not have.
    `seals` has the digests of other events' card seals, by their number.

    `moved` has the primary keys, by table, of rows about the event's people that were recorded at another event.
    """

    log_rows: int = 0
    until: int = 0
    rows: Mapping[str, frozenset[int]] = field(default_factory=dict)
    seals: Mapping[int, str] = field(default_factory=dict)
    moved: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def has_row(self, model: type[Model], key: int, log_row: int) -> bool:
        """Return whether this row of the log names a row that was left out, by its current primary key.

        A later log row may use the same key for a new row.
        """
        return log_row <= self.until and key in self.rows.get(model._meta.db_table, ())

    def was_moved(self, model: type[Model], key: int) -> bool:
        return key in self.moved.get(model._meta.db_table, ())


def load_left_out(tournament: int) -> LeftOut:
    """Return what the tournament lacks, given its primary key. It lacks nothing if it never was the file of an event.

    The file of a later export describes this again, so the last import is enough.
    """
    last = TournamentImport.objects.filter(tournament=tournament).order_by("-pk").first()
    content = last.origin.get("left_out") if last is not None else None
    if last is None or not isinstance(content, dict):
        return LeftOut()
    return read_left_out(content, until=last.log_rows, offset=last.key_offset)


def read_left_out(content: Mapping[str, Any], *, until: int, offset: int = 0) -> LeftOut:
    """Return what a file's manifest says that it lacks. `offset` is what an import added to primary keys.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: a part is missing or has the wrong type.
    """
    if type(content["log_rows"]) is not int:
        raise ValueError("log_rows")
    return LeftOut(
        content["log_rows"],
        until,
        _read_keys(content["rows"], offset),
        {int(number): str(digest) for number, digest in content["seals"].items()},
        _read_keys(content["moved"], offset),
    )


def _read_keys(by_table: Mapping[str, Any], offset: int) -> dict[str, frozenset[int]]:
    keys = {str(table): list(each) for table, each in by_table.items()}
    if not all(type(key) is int for each in keys.values() for key in each):
        raise ValueError("a primary key is no number")
    return {table: frozenset(key + offset for key in each) for table, each in keys.items()}
