"""Who sits at a card: a player by his private link, or at the table's own card by what his session remembers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from scoring.selectors.cards import CardState, load_card
from tournament.errors import NotFound
from tournament.models import Entrant
from tournament.permissions import Actor, player
from tournament.selectors.events import load_entrant

REMEMBERED = "sits_as"
"""Session key: entrant primary keys this browser has shown to be."""


@dataclass(frozen=True)
class Seat:
    """A player before a card, and the addresses of what he can do there."""

    entrant: Entrant
    state: CardState
    by_link: bool

    @property
    def actor(self) -> Actor:
        return player(self.entrant)

    @property
    def plays(self) -> bool:
        return self.entrant.pk in (self.state.card.one_id, self.state.card.other_id)

    @property
    def keeps_score(self) -> bool:
        return self.state.keeper_id == self.entrant.pk

    @property
    def has_signed(self) -> bool:
        return self.entrant.pk in self.state.signed_by

    @property
    def opponent(self) -> Entrant:
        card = self.state.card
        return card.other if card.one_id == self.entrant.pk else card.one

    @property
    def score(self) -> tuple[int, int]:
        """Own total first."""
        one, other = self.state.totals
        return (one, other) if self.entrant.pk == self.state.card.one_id else (other, one)

    def url(self, act: str) -> str:
        """`card`, `cut`, `hand`, `last`, `preview`, `sign`, `call`."""
        card = self.state.card.token
        if self.by_link:
            return reverse(f"scoring:my_{act}", kwargs={"token": self.entrant.token, "card": card})
        return reverse(f"scoring:table_{act}", kwargs={"card": card})

    @property
    def urls(self) -> dict[str, str]:
        return {act: self.url(act) for act in ("card", "cut", "hand", "last", "preview", "sign", "call")}


View = Callable[..., HttpResponse]


def seated(view: View) -> View:
    """view(request, seat): under `my/<token>/card/<card>/…` by the link, under `c/<card>/…` by the session."""

    @wraps(view)
    def wrapped(request: HttpRequest, card: str, token: str = "", **kwargs: Any) -> HttpResponse:
        state = load_card(card)
        frame(request, state)
        if token:
            entrant = load_entrant(token)
            remember(request, entrant)
        else:
            found = remembered(request, state)
            if found is None:
                return redirect("scoring:table_card", card=card)
            entrant = found
        seat = Seat(entrant, state, bool(token))
        if not seat.plays:
            raise NotFound("not-your-card", "This card belongs to another match. Look at your own page.")
        return view(request, seat, **kwargs)

    return wrapped


def frame(request: HttpRequest, state: CardState) -> None:
    """What the base of the page shows."""
    event = state.card.match.event
    request.event, request.tournament = event, event.tournament  # type: ignore[attr-defined]


def remember(request: HttpRequest, entrant: Entrant) -> None:
    known = request.session.get(REMEMBERED, [])
    if entrant.pk not in known:
        request.session[REMEMBERED] = [*known, entrant.pk]


def remembered(request: HttpRequest, state: CardState) -> Entrant | None:
    """The player of this card who uses this browser; nobody where both do (a shared tablet)."""
    known = set(request.session.get(REMEMBERED, []))
    sitting = [who for who in (state.card.one, state.card.other) if who.pk in known]
    return sitting[0] if len(sitting) == 1 else None
