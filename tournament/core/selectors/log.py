import hashlib
from dataclasses import dataclass
from typing import Any

import rfc8785

from tournament.models import AuditEntry, AuditHead, Tournament


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """What walking the chain showed: rows walked, and the first row that is not as it was written."""

    rows: int
    broken_at: int | None

    @property
    def whole(self) -> bool:
        return self.broken_at is None


def check_chain(tournament: Tournament) -> ChainCheck:
    """Walk the hash chain from its first row: each digest recomputed, each link and the head compared."""
    previous, seq = "0" * 64, 0
    for entry in AuditEntry.objects.filter(tournament=tournament).order_by("seq").iterator():
        seq += 1
        if entry.seq != seq or entry.previous != previous or entry_digest(entry) != entry.digest:
            return ChainCheck(seq, entry.seq)
        previous = entry.digest
    head = AuditHead.objects.filter(tournament=tournament).first()
    if (head.seq if head else 0, head.digest if head else "0" * 64) != (seq, previous):
        return ChainCheck(seq, seq + 1)
    return ChainCheck(seq, None)


def entry_digest(entry: AuditEntry) -> str:
    """SHA-256 over the row's canonical JSON (RFC 8785), the digest of the row before included."""
    return hashlib.sha256(rfc8785.dumps(content_of(entry))).hexdigest()


def content_of(entry: AuditEntry) -> dict[str, Any]:
    """All that the digest of a row covers; rows from before there were digests of rows have none."""
    row_digests = {"row_digests": entry.row_digests} if entry.row_digests else {}
    return {
        "tournament": entry.tournament_id,
        "seq": entry.seq,
        "at": entry.at.isoformat(timespec="microseconds"),
        "event": entry.event_id,
        "user": entry.user_id,
        "by": entry.by_name,
        "verb": entry.verb,
        "about": entry.about,
        "reason": entry.reason,
        "data": entry.data,
        **row_digests,
        "previous": entry.previous,
    }
