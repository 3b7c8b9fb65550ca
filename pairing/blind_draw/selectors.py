"""Who is on the list, what was sealed, what was drawn: the record of an event's draws."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from pairing.draws.separation.draw import DrawTerms
from pairing.models import Commitment, Draw, DrawTermsSaid, MatchResult, Seating
from tournament.models import Entrant, EntrantFact, Event
from tournament.money.selectors.ledger import load_books


def drawn_numbers(event: Event) -> list[int]:
    """The entry numbers a draw would be made from now: everybody who is in, in order of number."""
    return list(event.entrants.filter(state=Entrant.State.IN).order_by("number").values_list("number", flat=True))


def current_commitment(event: Event) -> Commitment | None:
    return event.commitments.order_by("-pk").first()


def second_round_is_seated(draw: Draw) -> bool:
    """The first was played by then: the draw stands."""
    return Seating.objects.filter(stage__draw=draw, round__gt=1, posted__isnull=False).exists()


def load_draw_terms(event: Event) -> DrawTerms | None:
    """How the director wants the places of the first bracket filled; None: nothing was said."""
    last = DrawTermsSaid.objects.filter(event=event).last()
    return None if last is None else DrawTerms.from_json(last.terms)


@dataclass(frozen=True, slots=True)
class Doubtful:
    """An entrant on the list who has not paid, or not arrived; `kept` where the director said to keep them."""

    entrant: Entrant
    due_cents: int
    arrived: bool
    kept: bool


def load_doubtful(event: Event) -> list[Doubtful]:
    """Shown before the draw: the director draws without them, or keeps them."""
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


def load_not_approved(event: Event) -> int:
    """How many wait for approval: they are in no draw until somebody approves them."""
    return event.entrants.filter(state=Entrant.State.APPLIED).count()


def load_left_out(event: Event) -> list[Entrant]:
    """Whom the director draws without: they can come back until the draw."""
    return list(event.entrants.filter(state=Entrant.State.REMOVED).order_by("number"))


def load_draws(event: Event) -> list[Draw]:
    """Every draw that may be seen, the newest first: posted, or taken back (which carries its reason).

    A preview that was taken back is shown, too: nobody shall be able to draw until they like the order.
    """
    seen = Q(posted__isnull=False) | Q(taken_back__isnull=False)
    found = Draw.objects.filter(seen, commitment__event=event)
    return list(found.select_related("commitment", "posted", "taken_back").order_by("-pk"))


def has_result(event: Event) -> bool:
    """Whether the draw that counts has a result: from then on it cannot be taken back."""
    counting = MatchResult.objects.filter(match__event=event, match__draw__taken_back__isnull=True)
    return counting.filter(match__stage__taken_back__isnull=True, match__pairing__taken_back__isnull=True).exists()


def draw_record(made: Draw) -> dict[str, Any]:
    """What `verify_draw` takes, as it is published."""
    sealed = made.commitment
    return {
        "secret": sealed.secret,
        "commitment": sealed.commitment,
        "public": made.public,
        "draw_id": sealed.draw_id,
        "numbers": sealed.numbers,
        "order": made.order,
    }
