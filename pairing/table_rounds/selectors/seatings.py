"""The rounds at tables that were seated, as recorded, and who is out."""

from typing import Any

from pairing.matches.selectors.records import load_opened
from pairing.models import MatchResult, Seating
from pairing.plans.selectors import TABLES, table_terms
from tournament.models import Entrant, Event


def load_present(event: Event) -> list[int]:
    """Who can be seated: everybody who is in."""
    return list(event.entrants.filter(state=Entrant.State.IN).order_by("number").values_list("number", flat=True))


def open_seating(event: Event) -> Seating | None:
    """The seating that staff look at: made, neither posted nor taken back."""
    waiting = Seating.objects.filter(stage__in=load_opened(event), posted__isnull=True, taken_back__isnull=True)
    return waiting.select_related("stage__draw").first()


def last_posted(event: Event) -> Seating | None:
    """The seating of the round that was posted last and counts."""
    posted = Seating.objects.filter(stage__in=load_opened(event), posted__isnull=False, taken_back__isnull=True)
    return posted.order_by("-round").first()


def load_open_and_last(event: Event) -> tuple[Seating | None, Seating | None]:
    """Return `open_seating` and `last_posted`, read at once."""
    counting = Seating.objects.filter(stage__in=load_opened(event), taken_back__isnull=True)
    found = list(counting.select_related("stage__draw", "posted").order_by("-round", "pk"))
    posted = [seating for seating in found if hasattr(seating, "posted")]
    waiting = [seating for seating in found if not hasattr(seating, "posted")]
    return next(iter(waiting), None), next(iter(posted), None)


def load_seatings_taken_back(event: Event) -> list[Seating]:
    """Every seating that was taken back with its reason, the newest first: also those that were never posted."""
    gone = Seating.objects.filter(stage__draw__commitment__event=event, taken_back__isnull=False)
    return list(gone.select_related("taken_back").order_by("-pk"))


def load_seating_records(event: Event) -> list[dict[str, Any]]:
    """Every posted round that counts, and for the later ones the case that `pair` seats again."""
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
    """Until the first result at one of its tables."""
    return not MatchResult.objects.filter(match__seating=seating).exists()
