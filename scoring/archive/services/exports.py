"""Record that somebody downloaded a tournament as a file."""

from typing import Final

from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import writing
from tournament.models import Event, Tournament

EXPORTED_VERB: Final = "tournament.exported"


def record_export(tournament: Tournament, event: Event | None = None, *, by: Actor) -> None:
    """Log that `by` downloads a tournament file or an event file."""
    require_permission(by, "links", tournament)
    with writing(tournament, verb=EXPORTED_VERB, by=by) as write:
        write.about(event or tournament)
