"""The log of a tournament: its hash chain, the seals on its end, and the short seal code for paper."""

import hashlib
from dataclasses import dataclass
from typing import Any, Final

import rfc8785

from tournament.models import AuditEntry, AuditHead, Event, LogSeal, Tournament

FINISHED: Final = ("event.finished", "event.ended-early")
PAID: Final = ("prize.paid", "prize.undone", "prize.voided", "prize.reissued", "prize.returned")
DAY_CLOSED: Final = "day.closed"
SEALED: Final = frozenset({*FINISHED, *PAID, DAY_CLOSED})
"""The verbs of writes that seal the log: an event ends, a day is closed, or the payouts change."""

FIRST: Final = "0" * 64
"""The value of `previous` in the first seal of a log."""

SEAL_FORMAT: Final = "gin-log-seal/1"
CODE_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32, which leaves out I, L, O and U because they are misread."""


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """The result of a check of the chain: the number of rows, and the first row that differs from what was written."""

    rows: int
    broken_at: int | None

    @property
    def whole(self) -> bool:
        return self.broken_at is None


def check_chain(tournament: Tournament, last_row: int | None = None) -> ChainCheck:
    """Walk the hash chain from its first row: recompute each digest, and compare each link and the head.

    With `last_row`, walk no further than that row.
    """
    previous, seq = "0" * 64, 0
    rows = AuditEntry.objects.filter(tournament=tournament).order_by("seq")
    for entry in (rows if last_row is None else rows.filter(seq__lte=last_row)).iterator():
        seq += 1
        if entry.seq != seq or entry.previous != previous or entry_digest(entry) != entry.digest:
            return ChainCheck(seq, entry.seq)
        previous = entry.digest
    if last_row is not None:
        return ChainCheck(seq, None)
    head = AuditHead.objects.filter(tournament=tournament).first()
    if (head.seq if head else 0, head.digest if head else "0" * 64) != (seq, previous):
        return ChainCheck(seq, seq + 1)
    return ChainCheck(seq, None)


def entry_digest(entry: AuditEntry) -> str:
    """Return SHA-256 over the row's canonical JSON (RFC 8785), which includes the digest of the previous row."""
    return hashlib.sha256(rfc8785.dumps(content_of(entry))).hexdigest()


def content_of(entry: AuditEntry) -> dict[str, Any]:
    """Return everything that the digest of a log row covers. Rows from before row digests existed have none."""
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


def statement_of_seal(seal: LogSeal) -> bytes:
    """Return the bytes that a seal of the log signs, as canonical JSON (RFC 8785).

    The digest of the log row covers the tournament and every row before it.
    """
    statement: dict[str, str | int] = {
        "format": SEAL_FORMAT,
        "number": seal.number,
        "log_row": seal.log_row,
        "log_digest": seal.log_digest,
        "previous": seal.previous,
    }
    return rfc8785.dumps(statement)


def digest_of_seal(seal: LogSeal) -> str:
    """Return SHA-256 over the statement of a seal, which the next seal contains."""
    return hashlib.sha256(statement_of_seal(seal)).hexdigest()


def seal_code(log_row: int, log_digest: str) -> str:
    """Return the printed code of a sealed log: the row number, and 60 bits of SHA-256 over its digest.

    >>> seal_code(214, "0" * 64)
    'R214-CQVK-F5Y1-WW09'
    """
    value = int(hashlib.sha256(f"{log_row} {log_digest}".encode()).hexdigest()[:15], 16)
    letters = "".join(CODE_LETTERS[value >> shift & 31] for shift in range(55, -1, -5))
    return f"R{log_row}-{letters[:4]}-{letters[4:8]}-{letters[8:]}"


def load_code_of_finish(event: Event) -> str:
    """Return the code of the seal from the last finish of the event, or "" if that finish was not sealed."""
    return _last_code(event.tournament_id, event=event, verb__in=FINISHED)


def load_code_of_payouts(event: Event) -> str:
    """Return the code of the seal on the last change of the event's payouts, or on its finish."""
    return _last_code(event.tournament_id, event=event, verb__in=[*FINISHED, *PAID])


def load_code_of_close(tournament: Tournament, close: int) -> str:
    """Return the code of the seal that was made with this close of a day. `close` is its primary key."""
    return _last_code(tournament.pk, verb=DAY_CLOSED, data__close=close)


def load_last_code(tournament: Tournament) -> str:
    return _last_code(tournament.pk)


def _last_code(tournament: int, **about: Any) -> str:
    sealed = LogSeal.objects.filter(tournament=tournament).values("log_row")
    entries = AuditEntry.objects.filter(tournament=tournament, seq__in=sealed, **about)
    last = entries.order_by("-seq").values_list("seq", "digest").first()
    return seal_code(*last) if last is not None else ""
