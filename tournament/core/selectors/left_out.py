"""The parts of a tournament that an event file leaves out: other events' database rows and log rows.

The tournament's log is one hash chain. An event file contains the digests of all log rows, but only the
contents of the rows that concern the event. Therefore, the chain can still be checked, and the file reveals nothing
about other events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Model

from tournament.models import TournamentImport

LEFT_OUT_VERB: Final = "record.left-out"
"""The verb of a log row about another event. Only the digest of such a row is known."""


@dataclass(frozen=True, slots=True)
class LeftOutParts:
    """The parts that an imported tournament lacks.

    `log_rows` is the number of log rows without contents. They are among the first `until` rows of the log, which came
    with the file. `rows` contains, by table, the primary keys of rows that the log names but the file lacks.
    `seals` contains the digests of other events' card seals, by number.

    `moved` contains, by table, the primary keys of rows about the event's people that were recorded at another event.
    """

    log_rows: int = 0
    until: int = 0
    rows: Mapping[str, frozenset[int]] = field(default_factory=dict)
    seals: Mapping[int, str] = field(default_factory=dict)
    moved: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def has_row(self, model: type[Model], key: int, log_row: int) -> bool:
        """Return whether the file left out the row to which a log row refers.

        `key` is the current primary key of that row, and `log_row` is the number of the log row. The number matters,
        because a later log row may use the same primary key for a new row.
        """
        return log_row <= self.until and key in self.rows.get(model._meta.db_table, ())

    def was_moved(self, model: type[Model], key: int) -> bool:
        return key in self.moved.get(model._meta.db_table, ())


def load_left_out_parts(tournament: int) -> LeftOutParts:
    """Return the parts that the tournament with this primary key lacks.

    It lacks parts only if it was imported from an event file. Each export lists the missing parts again, so
    only the last import matters.
    """
    last = TournamentImport.objects.filter(tournament=tournament).order_by("-pk").first()
    content = last.origin.get("left_out") if last is not None else None
    if last is None or not isinstance(content, dict):
        return LeftOutParts()
    return read_left_out_parts(content, until=last.log_rows, offset=last.key_offset)


def read_left_out_parts(content: Mapping[str, Any], *, until: int, offset: int = 0) -> LeftOutParts:
    """Return the missing parts that a file's manifest lists.

    `offset` is the number that the import added to primary keys.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: a part is missing or has the wrong type.
    """
    if type(content["log_rows"]) is not int:
        raise ValueError("log_rows")
    return LeftOutParts(
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
