"""Load the record of an event's draws: the list, the seals, and the draws made from them."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from pairing.draws.separation.draw import DrawTerms
from pairing.models import Commitment, Draw, DrawTermsSaid, MatchResult, Seating
from tournament.models import Entrant, EntrantFact, Event
from tournament.money.selectors.ledger import load_books


def drawn_numbers(event: Event) -> list[int]:
    """Return the numbers of all entrants who are in, ascending. A draw made at this moment would use them."""
    return list(event.entrants.filter(state=Entrant.State.IN).order_by("number").values_list("number", flat=True))


def current_commitment(event: Event) -> Commitment | None:
    return event.commitments.order_by("-pk").first()


def has_second_round(draw: Draw) -> bool:
    """Return whether round 2 is posted. Round 1 was played by then, so the draw can no longer be undone."""
    return Seating.objects.filter(stage__draw=draw, round__gt=1, posted__isnull=False).exists()


def load_draw_terms(event: Event) -> DrawTerms | None:
    """Return how the director wants the first bracket filled, or None if nothing was set."""
    last = DrawTermsSaid.objects.filter(event=event).last()
    return None if last is None else DrawTerms.from_json(last.terms)


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A listed entrant who has not paid or not checked in.

    `kept` is true if the director decided to keep them in the draw.
    """

    entrant: Entrant
    due_cents: int
    arrived: bool
    kept: bool


def load_doubtful(event: Event) -> list[Doubtful]:
    """Return the entrants to decide on before the draw: the director keeps them or draws without them."""
    books = load_books(event)
    kept = set(
        EntrantFact.objects.filter(entrant__event=event, kind=EntrantFact.Kind.KEPT).values_list(
            "entrant_id", flat=True
        )
    )
    rows = [
        Doubtful(entrant, books.account(entrant.pk).due_cents, entrant.arrived, entrant.pk in kept)
        for entrant in event.entrants.filter(state=Entrant.State.IN).order_by("number")
    ]
    return [row for row in rows if row.due_cents or not row.arrived]


def count_unapproved(event: Event) -> int:
    """Return how many entries wait for approval. They are in no draw until they are approved."""
    return event.entrants.filter(state=Entrant.State.APPLIED).count()


def load_left_out(event: Event) -> list[Entrant]:
    """Return the entrants whom the director left out. They can be brought back until the draw."""
    return list(event.entrants.filter(state=Entrant.State.REMOVED).order_by("number"))


def load_draws(event: Event) -> list[Draw]:
    """Return every public draw, newest first: posted draws, and undone draws with their reason.

    An undone preview is public too, so that nobody can draw again and again until they like the order.
    """
    seen = Q(posted__isnull=False) | Q(taken_back__isnull=False)
    found = Draw.objects.filter(seen, commitment__event=event)
    return list(found.select_related("commitment", "posted", "taken_back").order_by("-pk"))


def has_result(event: Event) -> bool:
    """Return whether the draw that counts has a result, after which it cannot be undone."""
    counting = MatchResult.objects.filter(match__event=event, match__draw__taken_back__isnull=True)
    return counting.filter(match__stage__taken_back__isnull=True, match__pairing__taken_back__isnull=True).exists()


def draw_record(made: Draw) -> dict[str, Any]:
    """Return the published values that `verify_draw` takes as input."""
    sealed = made.commitment
    return {
        "secret": sealed.secret,
        "commitment": sealed.commitment,
        "public": made.public,
        "draw_id": sealed.draw_id,
        "numbers": sealed.numbers,
        "order": made.order,
    }
