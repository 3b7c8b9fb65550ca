"""Read a laptop's recorded data directly from its database, without using the program."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

Fact = tuple[str, ...]
"""The content of a write, such as `("payment", reference)`. No two writes of a load test have the same content."""
Row = tuple[str, str]
"""A table and a primary key."""
MARK: Final = "hall %"
"""An SQL pattern for the reference of each payment and the reason of each result that a writer sends."""
CARD_PATH: Final = re.compile(r"/my/([\w-]+)/card/([\w-]+)/")


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row of the log. `rows` are the database rows that the logged action wrote."""

    place: tuple[int, int]
    digest: str
    by: str
    verb: str
    about: str
    rows: frozenset[Row]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The data that a laptop has recorded. `twice` names hands that have more than one valid line."""

    facts: Mapping[Fact, list[Row]]
    log: Mapping[tuple[int, int], LogRow]
    twice: list[str]


def make_fact(kind: str, path: str, fields: Mapping[str, str]) -> Fact | None:
    """Return the fact that a submitted form records, or None if facts of this kind are not counted."""
    at = CARD_PATH.search(path)
    if kind == "payment":
        return (kind, fields["payment-reference"])
    if kind == "result":
        return (kind, fields["reason"])
    if kind == "signature" and at:
        return (kind, at[2], at[1])
    if kind == "hand" and at:
        counts = {name.removeprefix("counts_"): int(value) for name, value in fields.items() if "counts_" in name}
        return (kind, at[2], fields["hand"], fields["outcome"], fields.get("by", ""), _format_counts(counts))
    return None


def read_recorded(database_file: Path) -> Recorded:
    with closing(sqlite3.connect(f"file:{database_file}?mode=ro", uri=True, timeout=20)) as database:
        database.execute("BEGIN")
        facts: dict[Fact, list[Row]] = {}
        for fact, row in _read_facts(database):
            facts.setdefault(fact, []).append(row)
        return Recorded(facts, {row.place: row for row in _read_log(database)}, _find_hands_twice(database))


def _read_facts(database: sqlite3.Connection) -> list[tuple[Fact, Row]]:
    found: list[tuple[Fact, Row]] = []
    for kind, table, column in (
        ("payment", "tournament_ledgerline", "reference"),
        ("result", "pairing_matchresult", "reason"),
    ):
        for mark, key in database.execute(f"SELECT {column}, id FROM {table} WHERE {column} LIKE ?", (MARK,)):
            found.append(((kind, mark), (table, str(key))))
    for card, number, content, key in database.execute(
        "SELECT card.token, line.number, line.line, line.id FROM scoring_sheetline line "
        "JOIN scoring_card card ON card.id = line.card_id"
    ):
        line: dict[str, Any] = json.loads(content)
        counts = _format_counts(line.get("counts") or {})
        fact = ("hand", card, str(number), line["outcome"], line.get("by") or "", counts)
        found.append((fact, ("scoring_sheetline", str(key))))
    for card, entrant, key in database.execute(
        "SELECT card.token, entrant.token, signature.id FROM scoring_signature signature "
        "JOIN scoring_card card ON card.id = signature.card_id "
        "JOIN tournament_entrant entrant ON entrant.id = signature.entrant_id"
    ):
        found.append((("signature", card, entrant), ("scoring_signature", str(key))))
    return found


def _read_log(database: sqlite3.Connection) -> list[LogRow]:
    columns = "tournament_id, seq, digest, by_name, verb, about, row_digests"
    return [
        LogRow((tournament, seq), digest, by, verb, about, _list_rows(json.loads(rows)))
        for tournament, seq, digest, by, verb, about, rows in database.execute(
            f"SELECT {columns} FROM tournament_auditentry"
        )
    ]


def _list_rows(digests: Mapping[str, Mapping[str, str]]) -> frozenset[Row]:
    return frozenset((table, key) for table, keys in digests.items() for key in keys)


def _find_hands_twice(database: sqlite3.Connection) -> list[str]:
    in_force = database.execute(
        "SELECT card_id, number FROM scoring_sheetline WHERE id NOT IN "
        "(SELECT supersedes_id FROM scoring_sheetline WHERE supersedes_id IS NOT NULL)"
    )
    return [f"hand {number} of card {card}" for (card, number), count in Counter(in_force).items() if count > 1]


def _format_counts(counts: Mapping[str, int]) -> str:
    return " ".join(f"{side}{count}" for side, count in sorted(counts.items()))
