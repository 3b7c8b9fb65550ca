"""Where a player finds the pages of a dispute about their card."""

from __future__ import annotations

from django.urls import reverse

from scoring.cards.pages.seats import Seat


def dispute_url(seat: Seat, dispute: int) -> str:
    return _url(seat, "dispute", dispute=dispute)


def _url(seat: Seat, name: str, **more: int) -> str:
    card = seat.card.token
    if seat.by_link:
        return reverse(f"scoring:my_{name}", kwargs={"token": seat.entrant.token, "card": card, **more})
    return reverse(f"scoring:table_{name}", kwargs={"card": card, **more})
