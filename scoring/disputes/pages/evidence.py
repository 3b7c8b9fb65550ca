"""The evidence of a dispute as pages show it, with links to its photos and to the page that judges hands."""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from scoring.disputes.selectors.disputes import DisputeState
from scoring.models import Evidence


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A piece of evidence: the address of its photo, the cards by player, and the page that judges them."""

    piece: Evidence
    photo: str
    hands: tuple[tuple[str, list[str]], ...]
    judged: str


def shown_evidence(state: DisputeState, photo_at: Callable[[int], str]) -> list[ShownPiece]:
    """Return the evidence of a dispute. `photo_at` returns the address of a photo by the evidence's primary key."""
    return [
        ShownPiece(
            piece=piece,
            photo=photo_at(piece.pk) if piece.photo else "",
            hands=tuple((side.name, piece.hands[side.letter]) for side in state.sides if piece.hands.get(side.letter)),
            judged=hands_address(state, piece),
        )
        for piece in state.evidence
    ]


def hands_address(state: DisputeState, piece: Evidence) -> str:
    """Return the address that judges these hands, or nothing for other evidence.

    The first hand is that of the player who knocked, or of the first side with a hand.
    """
    if piece.kind != Evidence.Kind.HANDS or state.dispute.card is None:
        return ""
    letters = [side.letter for side in state.sides]
    held = [letter for letter in letters if piece.hands.get(letter)]
    by = next((letter for letter in held if letter == state.facts.get("by")), held[0])
    against = next((letter for letter in held if letter != by), next((each for each in letters if each != by), by))
    event = state.dispute.event
    asked = {
        "card": state.dispute.card.token,
        "line": state.hand or "",
        "up": state.facts.get("up", ""),
        "by": letters.index(by),
        "against": letters.index(against) if len(letters) > 2 else "",
        "hand": " ".join(piece.hands[by]),
        "other": " ".join(piece.hands.get(against, ())) if against != by else "",
    }
    kept = {name: value for name, value in asked.items() if value != ""}
    address = reverse("scoring:hands", kwargs={"tournament": event.tournament.slug, "event": event.slug})
    return f"{address}?{urlencode(kept)}"
