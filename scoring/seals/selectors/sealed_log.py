"""The digests that the log has of lines, signatures, versions, seals and other rows, to check the rows against."""

from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Q

from scoring.models import Card
from scoring.rules.evidence.sealing import Fault
from tournament.core.selectors.log import entry_digest
from tournament.models import AuditEntry, Event
from tournament.said import worded

KINDS: Final = (
    *("lines", "signatures", "versions", "seals", "up_cards", "checks", "results", "cuts"),
    *("rulings", "disputes", "findings", "conduct", "card_terms"),
    *("ledger", "paid_out", "event_money", "finishes", "ended_early", "seatings", "stages", "closings"),
    *("pool_entries", "pool_results", "pool_payouts", "payout_signatures", "withholdings", "refund_sources"),
    "player_corrections",
)


@dataclass(frozen=True, slots=True)
class Logged:
    """A row of the record that a row of the log names. `card` is the key of its card.

    `card` is None if it has none, or if an older log row is about several cards and does not name the card of each
    entry. `written` is the digest of who wrote a line, when and how. It is empty if the log row is older than that.
    """

    seq: int
    card: int | None
    digest: str
    number: int | None = None
    written: str = ""


@dataclass(frozen=True, slots=True)
class SealedLog:
    """The logged rows by kind and primary key. `changed` holds the numbers of altered log rows."""

    kinds: dict[str, dict[int, Logged]] = field(default_factory=dict)
    changed: frozenset[int] = frozenset()

    def of(self, kind: str) -> dict[int, Logged]:
        """Return the logged rows of one of `KINDS`."""
        return self.kinds.get(kind, {})

    def faults_of(self, kind: str, pk: int, digest: str, name: str) -> list[Fault]:
        logged = self.of(kind).get(pk)
        if logged is None:
            return [Fault("log", worded("The log has no row for %(name)s.", name=name))]
        if logged.seq in self.changed:
            said = worded("Row %(row)s of the log, about %(name)s, was changed.", row=logged.seq, name=name)
            return [Fault(f"log row {logged.seq}", said)]
        if logged.digest != digest:
            said = worded("It is not what row %(row)s of the log says: %(name)s.", row=logged.seq, name=name)
            return [Fault(name, said)]
        return []


def load_sealed_log(event: Event, card: Card | None = None) -> SealedLog:
    """Load the log of a whole event, or the log rows that name something of one card."""
    named = Q(data__has_any_keys=[kind for kind in KINDS if kind != "versions"])
    rows = AuditEntry.objects.filter(event=event).filter(named)
    if card is not None:
        rows = rows.filter(_may_name(card))
    found: dict[str, dict[int, Logged]] = {kind: {} for kind in KINDS}
    changed = set()
    for row in rows.iterator():
        if entry_digest(row) != row.digest:
            changed.add(row.seq)
        for kind in KINDS:
            for entry in _entries(row.data, kind):
                found[kind][entry["pk"]] = _logged(row, entry)
    return SealedLog(found, frozenset(changed))


def _may_name(card: Card) -> Q:
    """Select the rows that name this card.

    Older rows are included if they are about it, about several cards, or about none.
    """
    older = Q(data__card=card.pk) | ~Q(data__has_key="card") | Q(data__has_key="cards")
    return Q(data__on_cards__has_key=str(card.pk)) | (~Q(data__has_key="on_cards") & older)


def _logged(row: AuditEntry, entry: dict[str, Any]) -> Logged:
    number, written = entry.get("number"), str(entry.get("written", ""))
    of_row = None if "cards" in row.data else row.data.get("card")
    return Logged(row.seq, entry.get("card", of_row), entry["digest"], number, written)


def _entries(data: Any, kind: str) -> list[dict[str, Any]]:
    """Return the valid entries of a log row. A row that somebody changed can hold anything."""
    listed = data.get(kind, []) if isinstance(data, dict) else []
    entries = listed if isinstance(listed, list) else []
    return [entry for entry in entries if isinstance(entry, dict) and {"pk", "digest"} <= entry.keys()]
