from __future__ import annotations

from pairing.draws import Placings, make_any_placings
from pairing.draws.rounds import make_standings, place_standings
from pairing.selectors.brackets import load_progress
from pairing.selectors.seatings import load_rounds
from pairing.selectors.turning import load_turning_placings
from tournament.models import Event


def load_final_placings(event: Event) -> Placings | None:
    """Who came where, by whatever format; None while something is still to be decided."""
    progress, rounds = load_progress(event), load_rounds(event)
    if progress is not None and progress.is_complete:
        return make_any_placings(progress)
    if rounds is not None and rounds.is_complete:
        return place_standings(make_standings(rounds))
    return load_turning_placings(event)
