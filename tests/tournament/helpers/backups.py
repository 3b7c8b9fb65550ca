from __future__ import annotations

from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import AuditEntry, Tournament


def write(tournament: Tournament, verb: str = "test.written", about: str = "a test") -> AuditEntry:
    """Add a row to the tournament's log, and return it."""
    with writing(tournament, verb=verb, by=SYSTEM_ACTOR) as open_write:
        open_write.about(about)
    return AuditEntry.objects.order_by("-pk")[0]
