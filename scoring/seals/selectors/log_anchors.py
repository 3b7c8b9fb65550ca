"""Check the seals that name the end of the log at a time.

If the log is rewritten later, chain and all, they do not fit.

The seal of a card names the log row before it. The seals of the log itself are made at a finish, a close and a payout.
Each has a short code for paper, which `find_sealed_log` looks up.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from scoring.models import CardSeal
from scoring.rules.evidence.sealing import Fault, is_signed_by, read_statement
from scoring.seals.selectors.keys import is_trusted
from tournament.core.selectors.log import (
    FIRST,
    SEALED,
    ChainCheck,
    check_chain,
    digest_of_seal,
    seal_code,
    statement_of_seal,
)
from tournament.models import AuditEntry, LogSeal, Tournament
from tournament.said import worded


def check_anchors(tournament: Tournament, seals: Iterable[CardSeal]) -> list[Fault]:
    """Return the first of these seals, in their order, whose log row has another digest. Older seals name no row."""
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
"""From this number on, all rows are loaded instead of the rows with the wanted numbers."""


def _end_of_log(seal: CardSeal) -> tuple[int, str]:
    """Return the log row and digest that a seal names. The row is 0 if it names none, or if it cannot be read."""
    said = read_statement(seal.statement) or {}
    row, digest = said.get("log_row"), said.get("log_digest")
    return (row, digest) if isinstance(row, int) and isinstance(digest, str) else (0, "")


def check_log_seals(tournament: Tournament) -> list[Fault]:
    """Return the faults of the seals on a log: altered or missing seals, and rows changed after sealing."""
    faults, previous, expected = [], FIRST, 0
    digests = dict(AuditEntry.objects.filter(tournament=tournament).values_list("seq", "digest"))
    sealed = set()
    for seal in LogSeal.objects.filter(tournament=tournament).order_by("number"):
        expected += 1
        sealed.add(seal.log_row)
        if (seal.number, seal.previous) != (expected, previous):
            said = worded("Seal %(number)s of the log does not follow the seal before it.", number=seal.number)
            faults.append(Fault("seals of the log", said))
        faults += _seal_faults(seal, digests.get(seal.log_row))
        expected, previous = seal.number, digest_of_seal(seal)
    # Rows that are older than the seals of the log have no row digests, so they are left out.
    rows = AuditEntry.objects.filter(tournament=tournament, verb__in=SEALED).exclude(row_digests={})
    for row, verb in rows.exclude(seq__in=sealed).order_by("seq").values_list("seq", "verb"):
        said = worded("The seal on row %(row)s of the log (%(verb)s) is missing.", row=row, verb=verb)
        faults.append(Fault(f"log row {row}", said))
    return faults


def _seal_faults(seal: LogSeal, digest: str | None) -> list[Fault]:
    place = f"log row {seal.log_row}"
    if not is_signed_by(seal.public, statement_of_seal(seal), seal.signature):
        return [Fault(place, worded("Seal %(number)s of the log was changed.", number=seal.number))]
    if not is_trusted(seal.public):
        said = worded("Seal %(number)s of the log was made by another key.", number=seal.number)
        return [Fault(place, said)]
    if seal.log_digest != digest:
        said = worded(
            "The log was rewritten up to row %(row)s or before it: seal %(number)s of the log names another digest.",
            row=seal.log_row,
            number=seal.number,
        )
        return [Fault(place, said)]
    return []


@dataclass(frozen=True, slots=True)
class SealedRow:
    """The log row that a printed code names, and whether the log up to that row is unchanged."""

    tournament: Tournament
    entry: AuditEntry
    chain: ChainCheck
    faults: tuple[Fault, ...]


def read_seal_code(typed: str) -> tuple[int, str] | None:
    """Return the row and the letters of a printed code, or None if the text is no such code.

    >>> read_seal_code("r214 cqvk-f5yi-wwo9")
    (214, 'R214-CQVK-F5Y1-WW09')
    >>> read_seal_code("93b09c6b03a27e") is None
    True
    """
    text = re.sub(r"[\s\-–.:]", "", typed).upper().replace("O", "0").replace("I", "1").replace("L", "1")
    found = re.fullmatch(r"R([0-9]{1,9})([0-9A-Z]{4})([0-9A-Z]{4})([0-9A-Z]{4})", text)
    return (int(found[1]), f"R{int(found[1])}-{found[2]}-{found[3]}-{found[4]}") if found else None


def find_sealed_log(row: int, code: str) -> SealedRow | None:
    """Return the row with this code, after checking the log up to it against its chain and its seal."""
    for entry in AuditEntry.objects.filter(seq=row).select_related("tournament"):
        if seal_code(entry.seq, entry.digest) == code:
            chain = check_chain(entry.tournament, row)
            seals = LogSeal.objects.filter(tournament=entry.tournament, log_row=row)
            faults = [fault for seal in seals for fault in _seal_faults(seal, entry.digest)]
            if not chain.whole:
                faults.append(Fault("log", worded("The log is broken at row %(row)s.", row=chain.broken_at)))
            return SealedRow(entry.tournament, entry, chain, tuple(faults))
    return None
