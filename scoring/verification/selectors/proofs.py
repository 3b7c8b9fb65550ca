"""Look up a printed digest, and find out whether its score card or ruling is genuine, superseded, or altered."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from pairing.draws.results import CardStatusKind
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.disputes.selectors.register import RULING_RELATIONS, RulingChange, load_ruling_changes
from scoring.disputes.tables import describe_ruling_changes
from scoring.models import Appeal, CardPosted, CardVersion, Ruling
from scoring.posting.selectors.card_status import CardStatus, load_card_status
from scoring.rules.evidence.sealing import VerificationFault
from scoring.seals.selectors.log import check_seals_against_log, load_logged_digests
from scoring.seals.selectors.versions import compute_current_digest, load_card_versions
from scoring.verification.selectors.faults import find_card_faults, find_evidence_faults
from tournament.core.selectors.log import compute_fact_digest, compute_log_entry_digest
from tournament.core.selectors.rows import load_recorded_keys
from tournament.errors import DomainError
from tournament.models import AuditEntry

MIN_DIGEST_LENGTH: Final = 12
"""The minimum number of characters of a digest to look up. Fewer could match several digests by chance."""


class Authenticity(StrEnum):
    """The authenticity of a digest or a printout, from best to worst. If several values apply, the worst one counts.

    `UNSIGNED`: printed by this program, but with missing signatures. `OUTDATED`: the printed stamp (such as
    “superseded”) no longer applies. `DISAGREES`: the card was signed like this, but it contradicts the match's result,
    and nobody has resolved this yet. `UNKNOWN`: neither the database nor the log contains this digest, for example
    because this laptop continued from an older backup.
    """

    GENUINE = "genuine"
    UNSIGNED = "unsigned"
    OUTDATED = "outdated"
    DISAGREES = "disagrees"
    SUPERSEDED = "superseded"
    UNKNOWN = "unknown"
    ALTERED = "altered"


@dataclass(frozen=True, slots=True)
class CardProof:
    """The database's information about a score card's digest.

    `version` is None if the card was posted before the program stored versions.
    """

    authenticity: Authenticity
    digest: str
    state: CardState | None = None
    version: CardVersion | None = None
    versions: tuple[CardVersion, ...] = ()
    faults: tuple[VerificationFault, ...] = ()
    status: CardStatus | None = None

    @property
    def is_sealed(self) -> bool:
        return self.version is not None and hasattr(self.version, "seal")

    @property
    def key(self) -> str:
        """The public key that sealed the card. It is empty if the card is not sealed."""
        return self.version.seal.key.public if self.version is not None and self.is_sealed else ""

    @property
    def later_version(self) -> int | None:
        """The number of the signed version that has replaced this one.

        It is 0 if the card was changed and the change is not signed yet, or None if this version is current.
        """
        if self.version is None or self.state is None or compute_current_digest(self.state) == self.digest:
            return None
        last = self.versions[-1]
        return (
            last.number
            if last.number > self.version.number and last.digest == compute_current_digest(self.state)
            else 0
        )


def normalize_typed_digest(typed: str) -> str:
    """Normalize a digest that was typed from a printout.

    Spaces and hyphens are removed, letters become lowercase, and O, I, and l are read as digits.

    Raises:
        DomainError: `bad-digest`, `short-digest`.

    >>> normalize_typed_digest("93B0 9c6b-O3a2 7e")
    '93b09c6b03a27e'
    """
    text = re.sub(r"[\s\-–.:]", "", typed).lower().translate(str.maketrans("oli", "011"))
    if not re.fullmatch(r"[0-9a-f]{1,64}", text):
        raise DomainError("bad-digest", _("A digest has only the digits 0 to 9 and letters a to f. Check it again."))
    if len(text) < MIN_DIGEST_LENGTH:
        raise DomainError(
            "short-digest",
            _("Enter at least the first %(fewest)s characters of the digest.") % {"fewest": MIN_DIGEST_LENGTH},
        )
    return text


def find_card_proof(typed: str) -> CardProof:
    """Look up a card by its digest or the digest's first characters.

    Raises:
        DomainError: `bad-digest`, `short-digest`, `ambiguous`.
    """
    digest = normalize_typed_digest(typed)
    originals_first = ("card__match__event__tournament__is_copy", "-pk")
    versions = list(CardVersion.objects.filter(digest__startswith=digest).order_by(*originals_first)[:10])
    if len({version.digest for version in versions}) > 1:
        raise DomainError("ambiguous", _("Several score cards start this way. Enter more of the digest."))
    known = (
        versions[0]
        if versions
        else CardPosted.objects.filter(digest__startswith=digest).order_by(*originals_first).first()
    )
    return _prove_card(known) if known is not None else CardProof(Authenticity.UNKNOWN, digest)


def find_card_proof_or_unknown(digest: str) -> CardProof:
    """Look up a digest from a file. For an invalid digest, return an `UNKNOWN` proof."""
    try:
        return find_card_proof(digest)
    except DomainError:
        return CardProof(Authenticity.UNKNOWN, digest)


def find_log_row_of_digest(kind: str, digest: str) -> int | None:
    """Return the number of the log row that recorded this digest, or None if no log contains it.

    `kind` is “versions” or “seals”.
    """
    rows = AuditEntry.objects.filter(data__has_key=kind).annotate(data_text=Cast("data", TextField()))
    return rows.filter(data_text__contains=digest).order_by("pk").values_list("seq", flat=True).first()


def _prove_card(known: CardVersion | CardPosted) -> CardProof:
    """Return the proof for a stored version, or for a card that was posted before the program stored versions."""
    state = load_card_state_by_pk(known.card_id)
    versions = load_card_versions(state.card)
    version = next((one for one in versions if one.digest == known.digest), None)
    faults = _find_card_faults(state, versions)
    status = load_card_status(state)
    standing = Authenticity.ALTERED if faults else _judge_authenticity(state, known.digest, status)
    return CardProof(standing, known.digest, state, version, tuple(versions), tuple(faults), status)


def _find_card_faults(state: CardState, versions: list[CardVersion]) -> list[VerificationFault]:
    """Return the differences between the card, its signatures, its seals, and the log."""
    event = state.card.match.event
    log = load_logged_digests(event, state.card)
    faults = find_card_faults(state, versions, log)
    faults += [fault for _, fault in find_evidence_faults(event, log, state.card)]
    return faults + check_seals_against_log(event.tournament, [one.seal for one in versions if hasattr(one, "seal")])


def _judge_authenticity(state: CardState, digest: str, status: CardStatus) -> Authenticity:
    """Return the authenticity based on the card's current content and its status in the match."""
    if compute_current_digest(state) != digest or status.kind is CardStatusKind.SUPERSEDED:
        return Authenticity.SUPERSEDED
    if not state.is_posted:
        return Authenticity.UNSIGNED
    differs = status.kind is CardStatusKind.DISAGREES or not status.agrees
    return Authenticity.DISAGREES if differs else Authenticity.GENUINE


# --- Rulings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RulingProof:
    """The database's information about the digest on a ruling's slip.

    `later` is the number of the ruling that replaced this one on appeal. `changed` contains later changes to this
    ruling's effects. `appealed` is an appeal that the committee has not decided yet.
    """

    authenticity: Authenticity
    digest: str
    ruling: Ruling | None = None
    later: int | None = None
    faults: tuple[VerificationFault, ...] = ()
    changed: tuple[RulingChange, ...] = ()
    appealed: Appeal | None = None

    @property
    def change_texts(self) -> list[dict[str, str]]:
        """Sentences about later changes to the ruling's effects, one for each change."""
        return describe_ruling_changes(self.ruling, self.changed) if self.ruling is not None else []


def find_ruling_proof(typed: str) -> RulingProof:
    """Look up a ruling by its digest or the digest's first characters.

    Raises:
        DomainError: `bad-digest`, `short-digest`.
    """
    digest = normalize_typed_digest(typed)
    logged = next(_iter_logged_rulings(digest), None)
    if logged is None:
        return RulingProof(Authenticity.UNKNOWN, digest)
    row, pk, whole = logged
    ruling = Ruling.objects.filter(pk=pk).select_related(*RULING_RELATIONS).first()
    faults = tuple(_find_ruling_faults(row, ruling, whole))
    if faults or ruling is None:
        return RulingProof(Authenticity.ALTERED, whole, ruling, faults=faults)
    later = getattr(ruling, "superseded_by", None)
    is_gone = later is not None or hasattr(ruling, "refused")
    appeal: Appeal | None = getattr(ruling, "appeal", None)
    is_appealed = not is_gone and appeal is not None and getattr(appeal, "decided", None) is None
    changed = load_ruling_changes([ruling]).get(ruling.pk, ())
    return RulingProof(
        authenticity=Authenticity.SUPERSEDED if is_gone or changed else Authenticity.GENUINE,
        digest=whole,
        ruling=ruling,
        later=later.number if later is not None else None,
        changed=changed,
        appealed=appeal if is_appealed else None,
    )


def _iter_logged_rulings(digest: str) -> Iterator[tuple[AuditEntry, int, str]]:
    """Yield the log rows that contain this digest, each with the ruling's primary key and full digest."""
    entries = AuditEntry.objects.filter(data__has_key="rulings").order_by("tournament__is_copy", "pk")
    for row in entries.iterator():
        listed = row.data["rulings"] if isinstance(row.data["rulings"], list) else []
        for entry in listed:
            if isinstance(entry, dict) and str(entry.get("digest", "")).startswith(digest):
                keys = load_recorded_keys(row.tournament_id)
                yield row, keys.find_current_key(Ruling._meta.label, entry["pk"], row.seq), str(entry["digest"])


def _find_ruling_faults(row: AuditEntry, ruling: Ruling | None, digest: str) -> Iterator[VerificationFault]:
    if compute_log_entry_digest(row) != row.digest:
        yield VerificationFault(f"log row {row.seq}", f"Row {row.seq} of the log, about this ruling, was changed.")
    if ruling is None:
        yield VerificationFault("record", f"The ruling that row {row.seq} of the log names is missing.")
    elif compute_fact_digest(load_recorded_keys(row.tournament_id).restore_row(ruling, row.seq)) != digest:
        yield VerificationFault(
            "record", f"Ruling {ruling.number} on record is not what row {row.seq} of the log says."
        )
