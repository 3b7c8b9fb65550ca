"""Compare what a file says about its cards on the day of printing with the record of today."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card
from scoring.posting.selectors.statements import load_statement
from scoring.posting.tables.statements import said_of
from scoring.prints.pdf.printed_cards import OldStamp, Printed, PrintedCard, facts_of, old_stamp
from scoring.prints.pdf.signed_cards import SignedCard, state_words
from scoring.rules.evidence.sealing import Fault
from scoring.rules.sheet.card_status import Counts
from scoring.seals.selectors.card_checks import digest_now
from scoring.verification.selectors.proofs import Authenticity, Proof, prove
from tournament.errors import NotFound

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


def stamp_against(printed: PrintedCard | None, proof: Proof) -> OldStamp | None:
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
