"""Prove whether a digest belongs to a card that is genuine, superseded or altered."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.models import CardPosted, CardVersion
from scoring.posting.selectors.statements import CountedCard, load_statement
from scoring.rules.evidence.sealing import Fault
from scoring.rules.sheet.card_status import Counts
from scoring.seals.selectors.card_checks import check_card, digest_now
from scoring.seals.selectors.evidence_checks import check_evidence
from scoring.seals.selectors.log_anchors import check_anchors
from scoring.seals.selectors.sealed_log import load_sealed_log
from scoring.seals.selectors.seals import versions_of
from tournament.errors import DomainError

FEWEST: Final = 12
"""The fewest characters that identify a digest. With fewer, two digests could match by chance."""


class Authenticity(StrEnum):
    """The authenticity of a digest or a paper. Of several, the worst counts, in this order.

    `UNSIGNED`: not everybody has signed it. It is a version on record, or a paper that was made here.
    `OUTDATED`: a paper whose stamp (“superseded”) is no longer right.
    `DISAGREES`: it was signed so, but the match has another result, and nobody has decided yet.
    """

    GENUINE = "genuine"
    UNSIGNED = "unsigned"
    OUTDATED = "outdated"
    DISAGREES = "disagrees"
    SUPERSEDED = "superseded"
    ALTERED = "altered"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Proof:
    """The record of a digest. `version` is None if it was posted before versions and seals existed.

    `later` is the number of the version that counts instead, or 0 if the card was changed and the change is not signed.
    `statement` is the standing of the current card in its match.
    """

    standing: Authenticity
    digest: str
    state: CardState | None = None
    version: CardVersion | None = None
    versions: tuple[CardVersion, ...] = ()
    faults: tuple[Fault, ...] = ()
    statement: CountedCard | None = None

    @property
    def is_sealed(self) -> bool:
        return self.version is not None and hasattr(self.version, "seal")

    @property
    def key(self) -> str:
        """The public key that sealed the card, or empty if it is not sealed."""
        return self.version.seal.key.public if self.version is not None and self.is_sealed else ""

    @property
    def later(self) -> int | None:
        """The number of the later version that counts, 0 for an unsigned change, or None if this version is current."""
        if self.version is None or self.state is None or digest_now(self.state) == self.digest:
            return None
        last = self.versions[-1]
        return last.number if last.number > self.version.number and last.digest == digest_now(self.state) else 0


def read_digest(typed: str) -> str:
    """Return a digest as typed from paper, without spaces and hyphens, in lower case, with 0 for O and 1 for I or l.

    Raises:
        DomainError: `bad-digest`, `short-digest`.

    >>> read_digest("93B0 9c6b-O3a2 7e")
    '93b09c6b03a27e'
    """
    text = re.sub(r"[\s\-–.:]", "", typed).lower().translate(str.maketrans("oli", "011"))
    if not re.fullmatch(r"[0-9a-f]{1,64}", text):
        raise DomainError("bad-digest", _("A digest has only the digits 0 to 9 and letters a to f. Check it again."))
    if len(text) < FEWEST:
        raise DomainError(
            "short-digest", _("Enter at least the first %(fewest)s characters of the digest.") % {"fewest": FEWEST}
        )
    return text


def prove(typed: str) -> Proof:
    """Return the proof of a digest, or of its first characters.

    Raises:
        DomainError: `bad-digest`, `short-digest`, `ambiguous`.
    """
    digest = read_digest(typed)
    found = list(CardVersion.objects.filter(digest__startswith=digest).order_by("-pk")[:10])
    if len({version.digest for version in found}) > 1:
        raise DomainError("ambiguous", _("Several score cards start this way. Enter more of the digest."))
    known = found[0] if found else CardPosted.objects.filter(digest__startswith=digest).first()
    return _prove(known) if known is not None else Proof(Authenticity.UNKNOWN, digest)


def prove_if_known(digest: str) -> Proof:
    """Return the proof of a digest from a file, which can contain anything."""
    try:
        return prove(digest)
    except DomainError:
        return Proof(Authenticity.UNKNOWN, digest)


def _prove(known: CardVersion | CardPosted) -> Proof:
    """Prove a version, or a posting without one. The log shows whether there ever was a version."""
    state = load_card_by_pk(known.card_id)
    versions = versions_of(state.card)
    version = next((one for one in versions if one.digest == known.digest), None)
    faults = _faults(state, versions)
    statement = load_statement(state)
    standing = Authenticity.ALTERED if faults else _standing(state, known.digest, statement)
    return Proof(standing, known.digest, state, version, tuple(versions), tuple(faults), statement)


def _faults(state: CardState, versions: list[CardVersion]) -> list[Fault]:
    """Check the card against its signatures, its seals and the log, and the log against the seals."""
    event = state.card.match.event
    log = load_sealed_log(event, state.card)
    faults = check_card(state, versions, log)
    faults += [fault for _, fault in check_evidence(event, log, state.card)]
    return faults + check_anchors(event.tournament, [one.seal for one in versions if hasattr(one, "seal")])


def _standing(state: CardState, digest: str, statement: CountedCard) -> Authenticity:
    """Return the standing by the current content of the card, and by its statement in the match."""
    if digest_now(state) != digest or statement.counts is Counts.SUPERSEDED:
        return Authenticity.SUPERSEDED
    if not state.is_posted:
        return Authenticity.UNSIGNED
    differs = statement.counts is Counts.DISAGREES or not statement.agrees
    return Authenticity.DISAGREES if differs else Authenticity.GENUINE
