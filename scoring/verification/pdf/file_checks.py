"""Check whether a printed PDF is genuine: its sealed cards and rulings, its unsealed cards, and its stamps."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from django.utils.translation import gettext as _

from pairing.draws.results import CardStatusKind
from scoring.card_state.selectors.cards import load_card_state_by_token
from scoring.card_state.selectors.state import CardState, format_score_totals
from scoring.posting.selectors.card_status import load_card_status
from scoring.posting.tables import describe_card_status
from scoring.prints.pdf.signed_cards import (
    CardToPrint,
    OutdatedStamp,
    PrintedCardRecord,
    PrintedStatus,
    describe_printed_state,
    find_outdated_stamp,
    make_stamp_facts,
    read_printed_card_records,
)
from scoring.rules.book.layout import format_signed_number
from scoring.rules.evidence.sealing import VerificationFault
from scoring.seals.pdf.signed_files import PDF_READER_ERRORS, is_sealed_by
from scoring.seals.selectors.versions import compute_current_digest
from scoring.verification.pdf.sealed_files import CheckedFile, read_sealed_file
from scoring.verification.selectors.proofs import (
    Authenticity,
    CardProof,
    RulingProof,
    find_card_proof,
    find_log_row_of_digest,
    find_ruling_proof,
)
from tournament.errors import NotFound
from tournament.intake import (
    SEALED_PRINT_FILE_LIMITS,
    UNSEALED_PRINT_FILE_LIMITS,
    DamagedFile,
    FileRefused,
    read_in_subprocess,
)
from tournament.lazy_text import lazy_text

AUTHENTICITY_BY_STATUS: Final = {
    CardStatusKind.SUPERSEDED.value: Authenticity.SUPERSEDED,
    CardStatusKind.DISAGREES.value: Authenticity.DISAGREES,
    CardStatusKind.VOID.value: Authenticity.UNSIGNED,
}

CardProofFinder = Callable[[str], CardProof]
"""A function that looks up a digest in the database."""
RulingProofFinder = Callable[[str], RulingProof]

MAX_ITEMS_IN_CHANGED_FILE: Final = 200
"""The maximum number of cards and rulings in a changed PDF. There is no limit for unchanged PDFs."""
TOO_MANY_CARDS_MESSAGE: Final = lazy_text(
    "This file was changed and has more than %(most_of_changed)s score cards and rulings. Enter "
    "the digest printed on the score card or ruling.",
    most_of_changed=MAX_ITEMS_IN_CHANGED_FILE,
)
NO_CARD_MESSAGE = lazy_text(
    "This file has no signed score card and no ruling. Choose the original PDF of a score card or ruling."
)
DAMAGED_FILE_FAULT: Final = VerificationFault(
    "file", lazy_text("This is not a PDF, or it is damaged. Choose the original file.")
)
UNKNOWN_CARD_MESSAGE: Final = lazy_text(
    "This score card is not on record here, although this installation sealed it. If this laptop continued from a "
    "backup, the card may have been signed after that backup. Show it to the desk."
)
UNKNOWN_SIGNATURES_MESSAGE: Final = lazy_text(
    "A score card with the same hands is on record here, but with other signatures. If this laptop continued from a "
    "backup, the card in this file may have been signed after that backup. Show it to the desk."
)
UNKNOWN_UNSIGNED_CARD_MESSAGE: Final = lazy_text(
    "This score card is not on record here, although this installation printed it. If this laptop continued from a "
    "backup, the card may have been printed after that backup. Show it to the desk."
)
UNKNOWN_RULING_MESSAGE: Final = lazy_text(
    "This ruling is not on record here, although this installation sealed it. If this laptop continued from a backup, "
    "the ruling may have been made after that backup. Show it to the desk."
)
FULL_DIGEST_PATTERN = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class SealedCardInFile:
    """A sealed card in a PDF.

    `proof` is None if the database was not checked. If a printed stamp is out of date, `stamp` contains it.
    """

    envelope: dict[str, Any]
    authenticity: Authenticity
    faults: tuple[VerificationFault, ...] = ()
    proof: CardProof | None = None
    stamp: OutdatedStamp | None = None

    @property
    def digest(self) -> str:
        return str(self.envelope.get("digest", ""))

    @property
    def title(self) -> str:
        """The card's score, such as “Ada 91 – 0 Alan”."""
        return _format_printed_score(self.envelope.get("content", {}))


@dataclass(frozen=True, slots=True)
class RulingInFile:
    """A ruling in a PDF. `proof` is None if the database was not checked."""

    envelope: dict[str, Any]
    authenticity: Authenticity
    faults: tuple[VerificationFault, ...] = ()
    proof: RulingProof | None = None

    @property
    def digest(self) -> str:
        return str(self.envelope.get("digest", ""))

    @property
    def title(self) -> str:
        return lazy_text("Ruling %(number)s", number=self.envelope.get("number", ""))


@dataclass(frozen=True, slots=True)
class UnsealedCardInFile:
    """A card without a seal, or a page from an older PDF.

    `now` is the card's current status. It is empty if the database was not checked.
    """

    printed: PrintedCardRecord
    authenticity: Authenticity = Authenticity.UNSIGNED
    faults: tuple[VerificationFault, ...] = ()
    state: CardState | None = None
    now: str = ""
    stamp: OutdatedStamp | None = None

    @property
    def digest(self) -> str:
        return self.printed.digest

    @property
    def needs_no_signatures(self) -> bool:
        """Whether the card needs no signatures, because its game was closed early and remains closed."""
        return self.printed.kind == PrintedStatus.CLOSED and self.authenticity is Authenticity.UNSIGNED

    @property
    def title(self) -> str:
        """The card's score, such as “Ada 91 – 0 Alan”, or the page if the score is unknown, such as “Page 2”."""
        return self.printed.title or _("Page %(number)s") % {"number": ", ".join(map(str, self.printed.pages))}


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """The result of checking a PDF.

    `faults` are the faults of the file and its pages, without those of its cards. `key` is the public key that sealed
    the file, or an empty string if the key cannot be read.
    """

    authenticity: Authenticity
    cards: tuple[SealedCardInFile, ...] = ()
    faults: tuple[VerificationFault, ...] = ()
    rulings: tuple[RulingInFile, ...] = ()
    unsigned: tuple[UnsealedCardInFile, ...] = ()
    key: str = ""

    @property
    def parts(self) -> list[SealedCardInFile | RulingInFile | UnsealedCardInFile]:
        return [*self.cards, *self.rulings, *self.unsigned]

    @property
    def digests(self) -> list[str]:
        return [each.digest for each in self.parts if each.digest]


def check_pdf(content: bytes, publics: frozenset[str], find: CardProofFinder | None = None) -> FileVerdict:
    """Check a PDF against the trusted keys, and also against the database if `find` is given.

    Raises:
        FileRefused: Reading the file takes too much time or memory, or it has too many cards (`too-many-cards`).
    """
    limits = SEALED_PRINT_FILE_LIMITS if is_sealed_by(content, publics) else UNSEALED_PRINT_FILE_LIMITS
    try:
        read = read_in_subprocess(limits, read_sealed_file, content, publics)
    except DamagedFile:
        return FileVerdict(Authenticity.ALTERED, faults=(DAMAGED_FILE_FAULT,))
    try:
        return _judge_file(read, find)
    except PDF_READER_ERRORS:
        return FileVerdict(Authenticity.ALTERED, faults=(DAMAGED_FILE_FAULT,))


def _judge_file(file: CheckedFile, find: CardProofFinder | None) -> FileVerdict:
    if not file.has_sealed_content:
        return FileVerdict(Authenticity.UNKNOWN, faults=(VerificationFault("attachment", str(NO_CARD_MESSAGE)),))
    faults = list(file.faults)
    if faults and len(file.cards) + len(file.rulings) > MAX_ITEMS_IN_CHANGED_FILE:
        raise FileRefused("too-many-cards", TOO_MANY_CARDS_MESSAGE)
    find, find_ruling = (cache(find), cache(find_ruling_proof)) if find is not None else (None, None)
    printed = () if faults else read_printed_card_records(file)
    sealed = {one.name: one for one in printed if one.name}
    cards = tuple(_check_card(each, file.faults_of[name], find, sealed.get(name)) for name, each in file.cards.items())
    if faults and not any(fault.place.startswith("page") for fault in faults):
        faults += [fault for card in cards for fault in _find_missing_text_faults(file.text, card)]
    rulings = tuple(_check_ruling(each, file.faults_of[name], find_ruling) for name, each in file.rulings.items())
    unsigned = tuple(check_unsealed_card(one, on_record=find is not None) for one in printed if has_no_attachment(one))
    whole = Authenticity.ALTERED if faults else Authenticity.GENUINE
    key = str((file.seal or {}).get("key", ""))
    verdict = FileVerdict(whole, cards, tuple(dict.fromkeys(faults)), rulings, unsigned, key)
    asking = [one.authenticity for one in unsigned if not (one.needs_no_signatures and cards)]
    each = [*(card.authenticity for card in cards), *(ruling.authenticity for ruling in rulings), *asking]
    return replace(verdict, authenticity=max([whole, *each], key=list(Authenticity).index))


def _format_printed_score(content: dict[str, Any]) -> str:
    """Return the score as it is printed at the top of a card."""
    try:
        names = [side["name"] for side in content["sides"]]
        totals = [content["result"]["totals"][side["side"]] for side in content["sides"]]
    except (KeyError, TypeError):
        return ""
    if len(names) == 2:
        return f"{names[0]} {format_score_totals(totals)} {names[1]}"
    return ", ".join(f"{name} {format_signed_number(total)}" for name, total in zip(names, totals, strict=True))


def _find_missing_text_faults(printed: str, card: SealedCardInFile) -> Iterator[VerificationFault]:
    """Yield a fault if the text of the pages lacks the signed result, and another fault if it lacks the signed digest.

    This check is needed only for a PDF that was changed after it was sealed, if its seal does not show which page was
    changed.
    """
    if "".join(card.title.split()) not in printed:
        yield VerificationFault(
            "page", lazy_text("The pages do not show the signed result, “%(title)s”.", title=card.title)
        )
    if card.digest not in printed:
        yield VerificationFault("page", lazy_text("The pages do not show the signed digest."))


def _check_card(
    envelope: dict[str, Any],
    faults: list[VerificationFault],
    find: CardProofFinder | None,
    printed: PrintedCardRecord | None,
) -> SealedCardInFile:
    if find is None:
        return SealedCardInFile(
            envelope, Authenticity.ALTERED if faults else find_authenticity_when_printed(printed), tuple(faults)
        )
    digest = str(envelope.get("digest", ""))
    proof = find(digest) if FULL_DIGEST_PATTERN.fullmatch(digest) else CardProof(Authenticity.UNKNOWN, digest)
    if not faults and (unknown := _find_unknown_part(envelope, proof)) is not None:
        return SealedCardInFile(envelope, Authenticity.UNKNOWN, (unknown,), proof)
    faults = [*faults, *_compare_with_database(envelope, proof)]
    stamp = _find_stamp_against_database(printed, proof)
    standing = Authenticity.ALTERED if faults else apply_outdated_stamp(proof.authenticity, stamp)
    return SealedCardInFile(envelope, standing, tuple(faults), proof, stamp)


def _find_unknown_part(envelope: dict[str, Any], proof: CardProof) -> VerificationFault | None:
    """Return a fault if this valid card, or its seal, was never recorded in the database or the log."""
    if proof.authenticity is Authenticity.UNKNOWN:
        row, message = find_log_row_of_digest("versions", proof.digest), UNKNOWN_CARD_MESSAGE
    elif proof.faults or _has_recorded_seal(envelope, proof):
        return None
    else:
        row, message = find_log_row_of_digest("seals", str(envelope["seal"]["digest"])), UNKNOWN_SIGNATURES_MESSAGE
    return VerificationFault("record", message) if row is None else None


def _has_recorded_seal(envelope: dict[str, Any], proof: CardProof) -> bool:
    """Return whether the card in the file has the same seal as the card on record."""
    seal, attached = getattr(proof.version, "seal", None), envelope.get("seal")
    return seal is not None and isinstance(attached, dict) and attached.get("digest") == seal.digest


def _check_ruling(
    envelope: dict[str, Any], own: list[VerificationFault], find: RulingProofFinder | None
) -> RulingInFile:
    faults = tuple(own)
    if find is None:
        return RulingInFile(envelope, Authenticity.ALTERED if faults else Authenticity.GENUINE, faults)
    digest = str(envelope.get("digest", ""))
    proof = find(digest) if FULL_DIGEST_PATTERN.fullmatch(digest) else RulingProof(Authenticity.UNKNOWN, digest)
    faults += tuple(
        VerificationFault(f"record, {each.place}", lazy_text("On record here: %(said)s", said=each.message))
        for each in proof.faults
    )
    if proof.authenticity is Authenticity.UNKNOWN and not faults:
        fault = VerificationFault("record", UNKNOWN_RULING_MESSAGE)
        return RulingInFile(envelope, Authenticity.UNKNOWN, (fault,), proof)
    return RulingInFile(envelope, Authenticity.ALTERED if faults else proof.authenticity, faults, proof)


def _compare_with_database(envelope: dict[str, Any], proof: CardProof) -> Iterator[VerificationFault]:
    if (
        proof.authenticity is Authenticity.UNKNOWN
        and (row := find_log_row_of_digest("versions", proof.digest)) is not None
    ):
        text = lazy_text("Row %(row)s of the log names this score card, but the card is no longer on record.", row=row)
        yield VerificationFault("record", text)
        return
    if proof.version is None:
        yield VerificationFault("record", lazy_text("No score card with this digest is on record here."))
        return
    for fault in proof.faults:
        yield VerificationFault(f"record, {fault.place}", lazy_text("On record here: %(said)s", said=fault.message))
    if not _has_recorded_seal(envelope, proof):
        yield VerificationFault(
            "record, seal", lazy_text("The seal in the file is not the one that is on record here.")
        )


# --- Cards without a seal, and stamps --------------------------------------------------------------------------------
# Compare what a file says about its cards on the day of printing with the record of today.


def find_authenticity_when_printed(printed: PrintedCardRecord | None) -> Authenticity:
    """Return a sealed card's authenticity when it was printed, for checks without the database."""
    if printed is None or not printed.is_stamped:
        return Authenticity.GENUINE
    if printed.corrected:
        return Authenticity.SUPERSEDED
    return AUTHENTICITY_BY_STATUS.get(str(printed.about.get("counts")), Authenticity.SUPERSEDED)


def _find_stamp_against_database(printed: PrintedCardRecord | None, proof: CardProof) -> OutdatedStamp | None:
    """Return a sealed card's printed stamp if it contradicts the database, otherwise None."""
    if printed is None or proof.state is None or proof.authenticity is Authenticity.ALTERED:
        return None
    corrected = proof.later_version is not None
    return find_outdated_stamp(
        printed, make_stamp_facts(proof.status), _describe_current_status(proof), corrected=corrected
    )


def apply_outdated_stamp(standing: Authenticity, stamp: OutdatedStamp | None) -> Authenticity:
    """Return OUTDATED for a valid card with an outdated stamp. Otherwise return its authenticity unchanged."""
    holds = standing in (Authenticity.GENUINE, Authenticity.UNSIGNED)
    return Authenticity.OUTDATED if holds and stamp is not None else standing


def check_unsealed_card(printed: PrintedCardRecord, *, on_record: bool) -> UnsealedCardInFile:
    """Check a card without a seal.

    If `on_record` is true, also compare the card and its stamp with the database.
    """
    if not on_record or not printed.token:
        return UnsealedCardInFile(
            printed, _replace_genuine_by_unsigned(printed, find_authenticity_when_printed(printed))
        )
    try:
        state = load_card_state_by_token(printed.token)
    except NotFound:
        fault = VerificationFault("record", UNKNOWN_UNSIGNED_CARD_MESSAGE)
        return UnsealedCardInFile(printed, Authenticity.UNKNOWN, (fault,))
    if compute_current_digest(state) is None:
        fault = VerificationFault("record", _("The score card on record can no longer be added up."))
        return UnsealedCardInFile(printed, Authenticity.ALTERED, (fault,), state)
    return _check_against_database(printed, state)


def _check_against_database(printed: PrintedCardRecord, state: CardState) -> UnsealedCardInFile:
    status, faults = load_card_status(state), _make_old_card_faults(printed)
    summary = describe_card_status(status)
    now = summary.text if summary is not None else describe_printed_state(CardToPrint(state))
    stamp = find_outdated_stamp(printed, make_stamp_facts(status), now, corrected=state.digest != printed.digest)
    standing = AUTHENTICITY_BY_STATUS.get(str(status.kind), Authenticity.GENUINE)
    if printed.kind == PrintedStatus.NO_SEAL and state.digest != printed.digest:
        standing = Authenticity.SUPERSEDED
    standing = (
        Authenticity.ALTERED if faults else apply_outdated_stamp(_replace_genuine_by_unsigned(printed, standing), stamp)
    )
    return UnsealedCardInFile(printed, standing, faults, state, now, stamp)


def _replace_genuine_by_unsigned(printed: PrintedCardRecord, standing: Authenticity) -> Authenticity:
    """Return the given authenticity, with GENUINE replaced by UNSIGNED because the card has no seal.

    If the card was signed before the program had seals, GENUINE is not replaced.
    """
    is_unsigned = standing is Authenticity.GENUINE and printed.kind != PrintedStatus.NO_SEAL
    return Authenticity.UNSIGNED if is_unsigned else standing


def _make_old_card_faults(printed: PrintedCardRecord) -> tuple[VerificationFault, ...]:
    """Return the faults of a card signed before the program had seals."""
    if printed.kind != PrintedStatus.NO_SEAL:
        return ()
    proof = find_card_proof(printed.digest)
    if proof.state is None:
        return (VerificationFault("record", _("No score card with this digest is on record here.")),)
    text = _("On record here: %(said)s")
    return tuple(VerificationFault(f"record, {each.place}", text % {"said": each.message}) for each in proof.faults)


def has_no_attachment(printed: PrintedCardRecord) -> bool:
    return printed.kind != PrintedStatus.SEALED


def _describe_current_status(proof: CardProof) -> str:
    summary = describe_card_status(proof.status) if proof.status is not None else None
    if summary is not None:
        return summary.text
    if proof.later_version:
        return _("Version %(number)s of the score card counts now.") % {"number": proof.later_version}
    if proof.later_version is not None:
        return _("The score card was changed, and not all players have signed the change.")
    assert proof.state is not None
    return _("The score card counts as signed: %(score)s.") % {"score": proof.state.score.line_with_names}
