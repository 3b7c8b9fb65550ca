"""Check whether a printed file is genuine. Every fault names its place: a page and its text, the card, or its seal."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card, unbroken_score
from scoring.posting.selectors.card_status import load_statement
from scoring.posting.tables import said_of
from scoring.prints.pdf.signed_cards import (
    OldStamp,
    Printed,
    PrintedCard,
    SignedCard,
    facts_of,
    old_stamp,
    read_printed,
    state_words,
)
from scoring.rules.evidence.sealing import Fault
from scoring.rules.sheet.card_status import Counts
from scoring.rules.variants.word_gin import with_minus
from scoring.seals.pdf.signed_files import UNREADABLE, is_sealed_by
from scoring.seals.selectors.checks import digest_now
from scoring.verification.pdf.sealed_files import ReadFile, read_sealed
from scoring.verification.selectors.proofs import Authenticity, Proof, RulingProof, prove, prove_ruling
from tournament.errors import NotFound
from tournament.intake import OTHER_PRINTS, PRINTS, Damaged, Refused, read_apart
from tournament.said import worded

# --- Printed checks --------------------------------------------------------------------------------------------------
# Compare what a file says about its cards on the day of printing with the record of today.

COUNTED: Final = {
    Counts.SUPERSEDED.value: Authenticity.SUPERSEDED,
    Counts.DISAGREES.value: Authenticity.DISAGREES,
    Counts.VOID.value: Authenticity.UNSIGNED,
}


@dataclass(frozen=True, slots=True)
class UnsignedFound:
    """A card of a file without a seal, or a page of an older file.

    `now` is the current record, or empty if not asked.
    """

    printed: PrintedCard
    standing: Authenticity = Authenticity.UNSIGNED
    faults: tuple[Fault, ...] = ()
    state: CardState | None = None
    now: str = ""
    stamp: OldStamp | None = None

    @property
    def digest(self) -> str:
        return self.printed.digest

    @property
    def asks_for_nothing(self) -> bool:
        """Whether the card was closed before its end and still counts so. Nobody signs such a card."""
        return self.printed.kind == Printed.CLOSED and self.standing is Authenticity.UNSIGNED

    @property
    def title(self) -> str:
        """The score, such as “Ada 91 – 0 Alan”, or else the page, such as “Page 2”."""
        return self.printed.title or _("Page %(number)s") % {"number": ", ".join(map(str, self.printed.pages))}


def by_its_stamp(printed: PrintedCard | None) -> Authenticity:
    """Return the standing of a sealed card when it was printed, which is all that is known without the record."""
    if printed is None or not printed.is_stamped:
        return Authenticity.GENUINE
    if printed.corrected:
        return Authenticity.SUPERSEDED
    return COUNTED.get(str(printed.about.get("counts")), Authenticity.SUPERSEDED)


def _stamp_against(printed: PrintedCard | None, proof: Proof) -> OldStamp | None:
    """Return the stamp of a sealed card if the record contradicts it."""
    if printed is None or proof.state is None or proof.standing is Authenticity.ALTERED:
        return None
    corrected = proof.later is not None
    return old_stamp(printed, facts_of(proof.statement), _what_counts(proof), corrected=corrected)


def outdated(standing: Authenticity, stamp: OldStamp | None) -> Authenticity:
    """Return OUTDATED for a valid card on a paper with an old stamp, else the same standing."""
    holds = standing in (Authenticity.GENUINE, Authenticity.UNSIGNED)
    return Authenticity.OUTDATED if holds and stamp is not None else standing


def unsigned_found(printed: PrintedCard, *, on_record: bool) -> UnsignedFound:
    """Return an unsigned card of a file.

    With the record, it has the current score and whether its stamp is still right.
    """
    if not on_record or not printed.token:
        return UnsignedFound(printed, _base(printed, by_its_stamp(printed)))
    try:
        state = load_card(printed.token)
    except NotFound:
        fault = Fault("record", _("This score card is not on record here."))
        return UnsignedFound(printed, Authenticity.ALTERED, (fault,))
    if digest_now(state) is None:
        fault = Fault("record", _("The score card on record can no longer be added up."))
        return UnsignedFound(printed, Authenticity.ALTERED, (fault,), state)
    return _on_record(printed, state)


def _on_record(printed: PrintedCard, state: CardState) -> UnsignedFound:
    statement, faults = load_statement(state), _faults(printed)
    said = said_of(statement)
    now = said.text if said is not None else state_words(SignedCard(state))
    stamp = old_stamp(printed, facts_of(statement), now, corrected=state.digest != printed.digest)
    standing = COUNTED.get(str(statement.counts), Authenticity.GENUINE)
    if printed.kind == Printed.NO_SEAL and state.digest != printed.digest:
        standing = Authenticity.SUPERSEDED
    standing = Authenticity.ALTERED if faults else outdated(_base(printed, standing), stamp)
    return UnsignedFound(printed, standing, faults, state, now, stamp)


def _base(printed: PrintedCard, standing: Authenticity) -> Authenticity:
    """Return UNSIGNED for a card without a seal. Only a card signed before seals existed can be genuine without one."""
    is_unsigned = standing is Authenticity.GENUINE and printed.kind != Printed.NO_SEAL
    return Authenticity.UNSIGNED if is_unsigned else standing


def _faults(printed: PrintedCard) -> tuple[Fault, ...]:
    """Return the faults of a card signed before seals existed. Its digest has to be on record."""
    if printed.kind != Printed.NO_SEAL:
        return ()
    proof = prove(printed.digest)
    if proof.state is None:
        return (Fault("record", _("No score card with this digest is on record here.")),)
    said = _("On record here: %(said)s")
    return tuple(Fault(f"record, {each.place}", said % {"said": each.said}) for each in proof.faults)


def is_to_be_listed(printed: PrintedCard) -> bool:
    return printed.kind != Printed.SEALED


def _what_counts(proof: Proof) -> str:
    said = said_of(proof.statement) if proof.statement is not None else None
    if said is not None:
        return said.text
    if proof.later:
        return _("Version %(number)s of the score card counts now.") % {"number": proof.later}
    if proof.later is not None:
        return _("The score card was changed, and not all players have signed the change.")
    assert proof.state is not None
    return _("The score card counts as signed: %(score)s.") % {"score": proof.state.score.line}


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
        return _score_line(self.envelope.get("content", {}))


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


def _score_line(content: dict[str, Any]) -> str:
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
    stamp = _stamp_against(printed, proof)
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
