"""Evidence in a dispute: a photo of the paper, the hands as cards, or words. It is added and never removed."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Final

from django.core.files.base import ContentFile
from django.utils.translation import gettext as _

from scoring.card_state.permissions import plays_on
from scoring.disputes.selectors.disputes import DisputeState, load_dispute
from scoring.disputes.services.photos import reencode
from scoring.models import Dispute, Evidence
from scoring.rules.hand.cards import DECK
from tournament.core.permissions import Actor, require
from tournament.core.services.record import scoped_key, writing
from tournament.errors import Conflict, DomainError, NotAllowed

MOST_PIECES: Final = 20
"""The most pieces of evidence in a dispute."""
MOST_CARDS: Final = 14

Hands = Mapping[str, Sequence[str]]
"""The cards of each side, by its letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedEvidence:
    """Evidence from one submission. Each part becomes a piece of evidence."""

    photo: IO[bytes] | None = None
    hands: Hands = field(default_factory=dict)
    words: str = ""


def add_evidence(dispute: Dispute, submitted: SubmittedEvidence, *, by: Actor, key: str = "") -> list[Evidence]:
    """Add evidence to a dispute.

    Raises:
        NotAllowed: The actor is neither a player of the card nor desk staff.
        DomainError: `nothing`, `no-photo`, `photo-too-large`, `bad-hands`.
        Conflict: `ruled-already`, `dropped`, `too-many`.
    """
    if by.entrant is None:
        require(by, "desk", dispute.event.tournament)
    elif dispute.card is None or not plays_on(by, dispute.card):
        raise NotAllowed("not-a-party", _("This dispute is about another table. Your own is on your private page."))
    picture = reencode(submitted.photo) if submitted.photo is not None else b""
    pieces = _pieces(submitted, picture)
    if not pieces:
        raise DomainError("nothing", _("Take a photo, pick the cards, or write what you saw."))
    digest = hashlib.sha256(picture).hexdigest() if picture else ""
    key = scoped_key(key, dispute.pk, by.name, digest, submitted.words, sorted(submitted.hands.items()))
    with writing(dispute.event, verb="evidence.added", by=by, key=key) as write:
        if write.repeated:
            return list(Evidence.objects.filter(pk__in=write.outcome["evidence"]))
        _refuse_more(load_dispute(dispute.event, dispute.pk), len(pieces))
        made = [Evidence(dispute=dispute, entrant=by.entrant, **piece, **write.fact_fields()) for piece in pieces]
        for each in made:
            if each.kind == Evidence.Kind.PHOTO:
                each.digest = digest
                each.photo.save(f"{digest}.jpg", ContentFile(picture), save=False)
            each.save()
        write.about(dispute, dispute=dispute.pk, evidence=[each.pk for each in made], digest=digest)
        return made


def _pieces(submitted: SubmittedEvidence, picture: bytes) -> list[dict[str, Any]]:
    pieces: list[dict[str, Any]] = []
    if picture:
        pieces.append({"kind": Evidence.Kind.PHOTO})
    hands = {side: list(cards) for side, cards in submitted.hands.items() if cards}
    if hands:
        _refuse_hands(hands)
        pieces.append({"kind": Evidence.Kind.HANDS, "hands": hands})
    if submitted.words.strip():
        pieces.append({"kind": Evidence.Kind.WORDS, "words": submitted.words.strip()})
    return pieces


def _refuse_hands(hands: Mapping[str, list[str]]) -> None:
    held = [card for cards in hands.values() for card in cards]
    unknown = [card for card in held if card not in DECK]
    if unknown:
        raise DomainError(
            "bad-hands",
            _("Not a card: %(unknown)s. Write rank and suit, such as 7H or 10D.") % {"unknown": ", ".join(unknown)},
        )
    twice = sorted({card for card in held if held.count(card) > 1})
    if twice:
        raise DomainError(
            "bad-hands",
            _("%(twice)s is here twice, and a deck has only one. Correct the cards.") % {"twice": ", ".join(twice)},
        )
    if any(len(cards) > MOST_CARDS for cards in hands.values()):
        raise DomainError(
            "bad-hands", _("A hand has at most %(most_cards)s cards. Correct the cards.") % {"most_cards": MOST_CARDS}
        )


def _refuse_more(state: DisputeState, more: int) -> None:
    if state.dropped is not None:
        raise Conflict("dropped", _("This call was withdrawn. Call the director again if there is something new."))
    if state.rulings and not state.waits_for_committee:
        raise Conflict("ruled-already", _("There is a ruling already. Add anything new to an appeal."))
    if len(state.evidence) + more > MOST_PIECES:
        raise Conflict(
            "too-many",
            _("There are %(evidence)s pieces of evidence already. Show the rest to the director.")
            % {"evidence": len(state.evidence)},
        )
