"""Where hands that were put before the director are judged: the page that everybody can open."""

from __future__ import annotations

from django.urls import reverse
from django.utils.http import urlencode

from scoring.models import Evidence
from scoring.selectors.disputes import DisputeState


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
