"""Each seal names the end of the log as it was: a log that was written anew, chain and all, shows at the next seal."""

from collections.abc import Iterable

from scoring.models import CardSeal
from scoring.rules.evidence.sealing import Fault, read_statement
from tournament.models import AuditEntry, Tournament
from tournament.said import worded


def check_anchors(tournament: Tournament, seals: Iterable[CardSeal]) -> list[Fault]:
    """The first of these seals, in their order, under which the log is not what it was; seals without one are older."""
    named = [(seal.number, *_end_of_log(seal)) for seal in seals]
    wanted = [row for _, row, _ in named if row]
    rows = AuditEntry.objects.filter(tournament=tournament)
    digests = dict((rows.filter(seq__in=wanted) if len(wanted) < MANY else rows).values_list("seq", "digest"))
    good = 0
    for number, row, digest in named:
        if row and digests.get(row) != digest:
            said = worded(
                "The log was rewritten between rows %(first)s and %(last)s: seal %(number)s names another digest.",
                first=good + 1,
                last=row,
                number=number,
            )
            return [Fault(f"log row {row}", said)]
        good = row or good
    return []


MANY = 500
"""So many rows are not asked for one by one."""


def _end_of_log(seal: CardSeal) -> tuple[int, str]:
    """Row and digest; 0 where the statement names none, or cannot be read."""
    said = read_statement(seal.statement) or {}
    row, digest = said.get("log_row"), said.get("log_digest")
    return (row, digest) if isinstance(row, int) and isinstance(digest, str) else (0, "")
