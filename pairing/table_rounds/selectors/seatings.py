"""The recorded table assignments, and the entrants who can be assigned."""

from typing import Any

from pairing.matches.selectors.records import load_opened
from pairing.models import MatchResult, Seating
from pairing.plans.selectors import TABLES, table_terms
from tournament.models import Entrant, Event


def load_present(event: Event) -> list[int]:
    """Return the numbers of all entrants who are in."""
    return list(event.entrants.filter(state=Entrant.State.IN).order_by("number").values_list("number", flat=True))


def open_seating(event: Event) -> Seating | None:
    """Return the table assignments that staff preview, neither posted nor taken back."""
    waiting = Seating.objects.filter(stage__in=load_opened(event), posted__isnull=True, taken_back__isnull=True)
    return waiting.select_related("stage__draw").first()


def last_posted(event: Event) -> Seating | None:
    """Return the newest posted table assignments that count."""
    posted = Seating.objects.filter(stage__in=load_opened(event), posted__isnull=False, taken_back__isnull=True)
    return posted.order_by("-round").first()


def load_open_and_last(event: Event) -> tuple[Seating | None, Seating | None]:
    """Return `open_seating` and `last_posted` from a single query."""
    counting = Seating.objects.filter(stage__in=load_opened(event), taken_back__isnull=True)
    found = list(counting.select_related("stage__draw", "posted").order_by("-round", "pk"))
    posted = [seating for seating in found if hasattr(seating, "posted")]
    waiting = [seating for seating in found if not hasattr(seating, "posted")]
    return next(iter(waiting), None), next(iter(posted), None)


def load_seatings_taken_back(event: Event) -> list[Seating]:
    """Return all table assignments that were taken back, posted or not, the newest first."""
    gone = Seating.objects.filter(stage__draw__commitment__event=event, taken_back__isnull=False)
    return list(gone.select_related("taken_back").order_by("-pk"))


def load_seating_records(event: Event) -> list[dict[str, Any]]:
    """Return every posted round that counts.

    The later ones have the case from which `pair` assigns the tables again.
    """
    posted = Seating.objects.filter(stage__in=load_opened(event), posted__isnull=False, taken_back__isnull=True)
    terms = table_terms(event)
    return [_record(seating, terms.size) for seating in posted.order_by("round")] if terms is not None else []


def _record(seating: Seating, size: int) -> dict[str, Any]:
    told = {"round": seating.round, "tables": seating.tables, "sits_out": seating.sits_out}
    if seating.round == 1:
        return told
    playing = sorted(number for table in seating.tables for number in table)
    met, seed = seating.record["met"], seating.record["seed"]
    return {**told, "case": {"format": TABLES, "entries": playing, "size": size, "met": met, "seed": seed}}


def can_take_back(seating: Seating) -> bool:
    """Return whether no result is recorded at any of its tables yet."""
    return not MatchResult.objects.filter(match__seating=seating).exists()
