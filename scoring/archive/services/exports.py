"""Record that somebody took a tournament home as a file."""

from typing import Final

from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import writing
from tournament.models import Tournament

EXPORTED_VERB: Final = "tournament.exported"


def record_export(tournament: Tournament, *, by: Actor) -> None:
    """Log that `by` downloads the tournament's file. It contains private links, which only directors see."""
    require_permission(by, "links", tournament)
    with writing(tournament, verb=EXPORTED_VERB, by=by) as write:
        write.about(tournament)
