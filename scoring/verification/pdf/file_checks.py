"""Check whether a printed file is genuine. Every fault names its place: a page and its text, the card, or its seal."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from scoring.card_state.selectors.score import unbroken_score
from scoring.prints.pdf.printed_cards import OldStamp, PrintedCard, read_printed
from scoring.rules.evidence.sealing import Fault
from scoring.rules.variants.word_gin import with_minus
from scoring.seals.pdf.signed_files import UNREADABLE, is_sealed_by
from scoring.verification.pdf.printed_checks import (
    UnsignedFound,
    by_its_stamp,
    is_to_be_listed,
    outdated,
    stamp_against,
    unsigned_found,
)
from scoring.verification.pdf.sealed_files import ReadFile, read_sealed
from scoring.verification.selectors.proofs import Authenticity, Proof
from scoring.verification.selectors.ruling_proofs import RulingProof, prove_ruling
from tournament.intake import OTHER_PRINTS, PRINTS, Damaged, Refused, read_apart
from tournament.said import worded

FindProof = Callable[[str], Proof]
"""Returns the proof of a digest from the record."""
FindRuling = Callable[[str], RulingProof]

MOST_OF_CHANGED: Final = 200
"""The most cards and rulings of a changed file. An unchanged file has only what was printed."""
TOO_MANY: Final = worded(
    "This file was changed and has more than %(most_of_changed)s score cards and rulings. Enter "
    "the digest printed on the score card or ruling.",
    most_of_changed=MOST_OF_CHANGED,
)
NO_CARD = worded("This file has no signed score card and no ruling. Choose the original PDF of a score card or ruling.")
DAMAGED: Final = Fault("file", worded("This is not a PDF, or it is damaged. Choose the original file."))
WHOLE_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class CardFound:
    """A card in a file.

    `proof` is None if it was checked without the record. `stamp` is a stamp that is out of date.
    """

    envelope: dict[str, Any]
    standing: Authenticity
    faults: tuple[Fault, ...] = ()
    proof: Proof | None = None
    stamp: OldStamp | None = None

    @property
    def digest(self) -> str:
        return str(self.envelope.get("digest", ""))

    @property
    def title(self) -> str:
        """The score of the card, such as “Ada 91 – 0 Alan”."""
        return score_line(self.envelope.get("content", {}))


@dataclass(frozen=True, slots=True)
class RulingFound:
    """A ruling in a file. `proof` is None if it was checked without the record."""

    envelope: dict[str, Any]
    standing: Authenticity
    faults: tuple[Fault, ...] = ()
    proof: RulingProof | None = None

    @property
    def digest(self) -> str:
        return str(self.envelope.get("digest", ""))

    @property
    def title(self) -> str:
        return worded("Ruling %(number)s", number=self.envelope.get("number", ""))


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """The verdict on a file. `faults` are those of the file and its pages, and each card has its own.

    `unsigned` are the cards without a seal. `key` is the public key that sealed the file, or empty if it cannot be
    read.
    """

    standing: Authenticity
    cards: tuple[CardFound, ...] = ()
    faults: tuple[Fault, ...] = ()
    rulings: tuple[RulingFound, ...] = ()
    unsigned: tuple[UnsignedFound, ...] = ()
    key: str = ""

    @property
    def found(self) -> list[CardFound | RulingFound | UnsignedFound]:
        return [*self.cards, *self.rulings, *self.unsigned]

    @property
    def digests(self) -> list[str]:
        return [each.digest for each in self.found if each.digest]


def check_file(content: bytes, publics: frozenset[str], find: FindProof | None = None) -> FileVerdict:
    """Check a file with the trusted keys, and also against the record if `find` is given.

    Raises:
        Refused: reading it takes too much, or `too-many-cards`.
    """
    limits = PRINTS if is_sealed_by(content, publics) else OTHER_PRINTS
    try:
        read = read_apart(limits, read_sealed, content, publics)
    except Damaged:
        return FileVerdict(Authenticity.ALTERED, faults=(DAMAGED,))
    try:
        return _verdict(read, find)
    except UNREADABLE:
        return FileVerdict(Authenticity.ALTERED, faults=(DAMAGED,))


def _verdict(file: ReadFile, find: FindProof | None) -> FileVerdict:
    if not file.is_ours:
        return FileVerdict(Authenticity.UNKNOWN, faults=(Fault("attachment", str(NO_CARD)),))
    faults = list(file.faults)
    if faults and len(file.cards) + len(file.rulings) > MOST_OF_CHANGED:
        raise Refused("too-many-cards", TOO_MANY)
    find, find_ruling = (cache(find), cache(prove_ruling)) if find is not None else (None, None)
    printed = () if faults else read_printed(file)
    sealed = {one.name: one for one in printed if one.name}
    cards = tuple(_card_found(each, file.faults_of[name], find, sealed.get(name)) for name, each in file.cards.items())
    if faults and not any(fault.place.startswith("page") for fault in faults):
        faults += [fault for card in cards for fault in _not_printed(file.text, card)]
    rulings = tuple(_ruling_found(each, file.faults_of[name], find_ruling) for name, each in file.rulings.items())
    unsigned = tuple(unsigned_found(one, on_record=find is not None) for one in printed if is_to_be_listed(one))
    whole = Authenticity.ALTERED if faults else Authenticity.GENUINE
    key = str((file.seal or {}).get("key", ""))
    verdict = FileVerdict(whole, cards, tuple(dict.fromkeys(faults)), rulings, unsigned, key)
    asking = [one.standing for one in unsigned if not (one.asks_for_nothing and cards)]
    each = [*(card.standing for card in cards), *(ruling.standing for ruling in rulings), *asking]
    return replace(verdict, standing=max([whole, *each], key=list(Authenticity).index))


def score_line(content: dict[str, Any]) -> str:
    """Return the score as it is printed at the head of a card."""
    try:
        names = [side["name"] for side in content["sides"]]
        totals = [content["result"]["totals"][side["side"]] for side in content["sides"]]
    except (KeyError, TypeError):
        return ""
    if len(names) == 2:
        return f"{names[0]} {unbroken_score(totals)} {names[1]}"
    return ", ".join(f"{name} {with_minus(total)}" for name, total in zip(names, totals, strict=True))


def _not_printed(printed: str, card: CardFound) -> Iterator[Fault]:
    """Yield a fault if the pages do not show the signed result or digest.

    This is only checked in a changed file whose seal does not reveal the changed page.
    """
    if "".join(card.title.split()) not in printed:
        yield Fault("page", worded("The pages do not show the signed result, “%(title)s”.", title=card.title))
    if card.digest not in printed:
        yield Fault("page", worded("The pages do not show the signed digest."))


def _card_found(
    envelope: dict[str, Any], faults: list[Fault], find: FindProof | None, printed: PrintedCard | None
) -> CardFound:
    if find is None:
        return CardFound(envelope, Authenticity.ALTERED if faults else by_its_stamp(printed), tuple(faults))
    digest = str(envelope.get("digest", ""))
    proof = find(digest) if WHOLE_DIGEST.fullmatch(digest) else Proof(Authenticity.UNKNOWN, digest)
    faults = [*faults, *_against_record(envelope, proof)]
    stamp = stamp_against(printed, proof)
    standing = Authenticity.ALTERED if faults else outdated(proof.standing, stamp)
    return CardFound(envelope, standing, tuple(faults), proof, stamp)


def _ruling_found(envelope: dict[str, Any], own: list[Fault], find: FindRuling | None) -> RulingFound:
    faults = tuple(own)
    if find is None:
        return RulingFound(envelope, Authenticity.ALTERED if faults else Authenticity.GENUINE, faults)
    digest = str(envelope.get("digest", ""))
    is_whole = WHOLE_DIGEST.fullmatch(digest) is not None
    proof = find(digest) if is_whole else RulingProof(Authenticity.UNKNOWN, digest)
    faults += tuple(
        Fault(f"record, {each.place}", worded("On record here: %(said)s", said=each.said)) for each in proof.faults
    )
    if proof.standing is Authenticity.UNKNOWN:
        faults += (Fault("record", worded("No ruling with this digest is on record here.")),)
    return RulingFound(envelope, Authenticity.ALTERED if faults else proof.standing, faults, proof)


def _against_record(envelope: dict[str, Any], proof: Proof) -> Iterator[Fault]:
    if proof.version is None:
        yield Fault("record", worded("No score card with this digest is on record here."))
        return
    for fault in proof.faults:
        yield Fault(f"record, {fault.place}", worded("On record here: %(said)s", said=fault.said))
    seal, attached = getattr(proof.version, "seal", None), envelope.get("seal")
    if seal is None or not isinstance(attached, dict) or attached.get("digest") != seal.digest:
        yield Fault("record, seal", worded("The seal in the file is not the one that is on record here."))
