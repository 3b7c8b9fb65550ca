"""Prove whether a digest belongs to a ruling that is fully in force, no longer in force, or not on record as made."""

from collections.abc import Iterator
from dataclasses import dataclass

from scoring.models import Appeal, Ruling
from scoring.rules.evidence.sealing import Fault
from scoring.rulings.selectors.since import ASKED, ChangedSince, load_changed_since, open_appeal_of
from scoring.verification.selectors.proofs import Authenticity, read_digest
from tournament.core.selectors.log import entry_digest, row_digest
from tournament.models import AuditEntry


@dataclass(frozen=True, slots=True)
class RulingProof:
    """The record for the digest of a slip. `later` is the number of the ruling that replaced it on appeal.

    `changed` are its effects that are no longer in force. `appealed` is an appeal that the committee has not decided
    yet.
    """

    standing: Authenticity
    digest: str
    ruling: Ruling | None = None
    later: int | None = None
    faults: tuple[Fault, ...] = ()
    changed: tuple[ChangedSince, ...] = ()
    appealed: Appeal | None = None


def prove_ruling(typed: str) -> RulingProof:
    """Return the proof of a digest, or of its first characters.

    Raises:
        DomainError: `bad-digest`, `short-digest`.
    """
    digest = read_digest(typed)
    named = next(_named(digest), None)
    if named is None:
        return RulingProof(Authenticity.UNKNOWN, digest)
    row, pk, whole = named
    ruling = Ruling.objects.filter(pk=pk).select_related(*ASKED).first()
    faults = tuple(_faults(row, ruling, whole))
    if faults or ruling is None:
        return RulingProof(Authenticity.ALTERED, whole, ruling, faults=faults)
    later = getattr(ruling, "superseded_by", None)
    fallen = later is not None or hasattr(ruling, "refused")
    changed = load_changed_since([ruling]).get(ruling.pk, ())
    return RulingProof(
        standing=Authenticity.SUPERSEDED if fallen or changed else Authenticity.GENUINE,
        digest=whole,
        ruling=ruling,
        later=later.number if later is not None else None,
        changed=changed,
        appealed=open_appeal_of(ruling) if not fallen else None,
    )


def _named(digest: str) -> Iterator[tuple[AuditEntry, int, str]]:
    """Yield the log row, the ruling's key and the whole digest.

    The log still has them, whatever happened to the ruling.
    """
    for row in AuditEntry.objects.filter(data__has_key="rulings").order_by("pk").iterator():
        listed = row.data["rulings"] if isinstance(row.data["rulings"], list) else []
        for entry in listed:
            if isinstance(entry, dict) and str(entry.get("digest", "")).startswith(digest):
                yield row, entry["pk"], str(entry["digest"])


def _faults(row: AuditEntry, ruling: Ruling | None, digest: str) -> Iterator[Fault]:
    if entry_digest(row) != row.digest:
        yield Fault(f"log row {row.seq}", f"Row {row.seq} of the log, about this ruling, was changed.")
    if ruling is None:
        yield Fault("record", f"The ruling that row {row.seq} of the log names is missing.")
    elif row_digest(ruling) != digest:
        yield Fault("record", f"Ruling {ruling.number} on record is not what row {row.seq} of the log says.")
