"""Write the log of a tournament as a file to store elsewhere, and compare such a file with the record."""

from dataclasses import dataclass
from typing import Final

from scoring.rules.evidence.envelopes import (
    LogFile,
    first_line,
    last_line,
    log_line,
    read_and_check,
    row_differences,
    words_to_sign,
)
from scoring.rules.evidence.sealing import FIRST, Fault, public_of
from scoring.seals.selectors.keys import installation_key, trusted_publics
from tournament.core.selectors.log import content_of
from tournament.intake import LOGS, read_apart
from tournament.models import AuditEntry, Tournament
from tournament.said import joined, worded

NAMED: Final = 20
"""The most rows that are named as different from the record."""


@dataclass(frozen=True, slots=True)
class LogVerdict:
    """The result of checking a log file. `tournament` is None if this installation has none of that name."""

    rows: int
    tournament: Tournament | None
    faults: tuple[Fault, ...]


def write_log_file(tournament: Tournament) -> bytes:
    """Return every row with all that its digest covers, sealed at the end by the key of the installation."""
    parts, head, rows = [first_line(tournament.slug)], FIRST, 0
    for entry in AuditEntry.objects.filter(tournament=tournament).order_by("seq").iterator():
        parts.append(log_line(content_of(entry), entry.digest))
        head, rows = entry.digest, rows + 1
    key = installation_key()
    signature = key.sign(words_to_sign(tournament.slug, head)).hex()
    return b"".join([*parts, last_line(rows, head, public_of(key), signature)])


def check_log(content: bytes) -> LogVerdict:
    """Check a log file and compare it with the record.

    Raises:
        Refused: reading it takes too much.
    """
    return log_verdict(*read_apart(LOGS, read_and_check, content, trusted_publics()))


def log_verdict(file: LogFile, faults: list[Fault]) -> LogVerdict:
    """Compare the file with the record of the tournament that it names."""
    tournament = Tournament.objects.filter(slug=file.tournament).first()
    if tournament is None:
        said = worded("There is no tournament “%(name)s” here to compare it with.", name=file.tournament)
        faults.append(Fault("tournament", said))
    else:
        faults += _against_record(file, tournament)
    return LogVerdict(len(file.rows), tournament, tuple(dict.fromkeys(faults)))


def _against_record(file: LogFile, tournament: Tournament) -> list[Fault]:
    entries = {entry.seq: entry for entry in AuditEntry.objects.filter(tournament=tournament)}
    faults = []
    for row in file.rows:
        if not isinstance(row.get("seq"), int):
            continue
        entry = entries.get(row["seq"])
        if entry is None:
            said = worded("Row %(row)s of the file is not on record here.", row=row.get("seq"))
            faults.append(Fault("record", said))
            continue
        wrong = row_differences(row, content_of(entry))
        if wrong:
            said = worded(
                "Row %(row)s of the log is not as it is on record here: %(parts)s.",
                row=entry.seq,
                parts=joined(", ", wrong),
            )
            faults.append(Fault(f"log row {entry.seq}", said))
    return faults[:NAMED]
