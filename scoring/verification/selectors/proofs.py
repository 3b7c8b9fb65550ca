"""Whether a digest is of a card that is genuine, superseded or altered: in words that anybody understands."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.models import CardPosted, CardVersion
from scoring.posting.selectors.statements import CountedCard, load_statement
from scoring.rules.evidence.sealing import Fault
from scoring.rules.sheet.statements import Counts
from scoring.seals.selectors.card_checks import check_card, digest_now
from scoring.seals.selectors.evidence_checks import check_evidence
from scoring.seals.selectors.log_anchors import check_anchors
from scoring.seals.selectors.sealed_log import load_sealed_log
from scoring.seals.selectors.seals import versions_of
from tournament.errors import DomainError

FEWEST: Final = 12
"""So many characters of a digest say which one it is; of fewer there could be two by chance."""


class Authenticity(StrEnum):
    """What a digest, or a paper, is worth; the worst of several counts, in this order.

    `UNSIGNED`: not everybody has signed it: a version on record, or a paper that was made here.
    `OUTDATED`: a paper whose stamp ("superseded") holds no more.
    `DISAGREES`: it was signed so, but the result of the match is another, and nobody has decided yet.
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
    """What is on record for a digest. `version` None: it was posted before versions and seals were kept.

    `later`: the number of the version that counts instead; 0 where the card was changed and nobody has signed that yet.
    `statement`: what the card as it is now counts for in its match.
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
        """The public half of the key that sealed it; empty if it is not sealed."""
        return self.version.seal.key.public if self.version is not None and self.is_sealed else ""

    @property
    def later(self) -> int | None:
        """None: nothing has come after it."""
        if self.version is None or self.state is None or digest_now(self.state) == self.digest:
            return None
        last = self.versions[-1]
        return last.number if last.number > self.version.number and last.digest == digest_now(self.state) else 0


def read_digest(typed: str) -> str:
    """As it was typed from paper: spaces, hyphens and capitals do not matter, nor O for zero and l for one.

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
    """The proof of a digest, or of its first characters.

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
    """The proof of what a file says for its digest, which may be anything."""
    try:
        return prove(digest)
    except DomainError:
        return Proof(Authenticity.UNKNOWN, digest)


def _prove(known: CardVersion | CardPosted) -> Proof:
    """A version, or a posting without one: the log says whether there ever was one."""
    state = load_card_by_pk(known.card_id)
    versions = versions_of(state.card)
    version = next((one for one in versions if one.digest == known.digest), None)
    faults = _faults(state, versions)
    statement = load_statement(state)
    standing = Authenticity.ALTERED if faults else _standing(state, known.digest, statement)
    return Proof(standing, known.digest, state, version, tuple(versions), tuple(faults), statement)


def _faults(state: CardState, versions: list[CardVersion]) -> list[Fault]:
    """The card against its signatures, its seals and the log, and the log against the seals."""
    event = state.card.match.event
    log = load_sealed_log(event, state.card)
    faults = check_card(state, versions, log)
    faults += [fault for _, fault in check_evidence(event, log, state.card)]
    return faults + check_anchors(event.tournament, [one.seal for one in versions if hasattr(one, "seal")])


def _standing(state: CardState, digest: str, statement: CountedCard) -> Authenticity:
    """By what is on the card now, and by what that counts for in its match."""
    if digest_now(state) != digest or statement.counts is Counts.SUPERSEDED:
        return Authenticity.SUPERSEDED
    if not state.is_posted:
        return Authenticity.UNSIGNED
    differs = statement.counts is Counts.DISAGREES or not statement.agrees
    return Authenticity.DISAGREES if differs else Authenticity.GENUINE
