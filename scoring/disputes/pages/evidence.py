"""What was put before the director, to be looked at: whose cards these are, and the page that judges them."""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from scoring.disputes.selectors.disputes import DisputeState
from scoring.models import Evidence


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A piece of evidence: the address of its photo, the cards by the names of who held them, where they are judged."""

    piece: Evidence
    photo: str
    hands: tuple[tuple[str, list[str]], ...]
    judged: str


def shown_evidence(state: DisputeState, photo_at: Callable[[int], str]) -> list[ShownPiece]:
    """`photo_at`: where a piece's photo is fetched, by its primary key."""
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
    """The page of hands with these, by whose knock it is or who is named first; empty for any other evidence."""
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
