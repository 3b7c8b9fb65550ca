"""The matches of an elimination, made when it is posted or opened."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pairing.draws import AnyMatch
from pairing.models import Draw, Match, Stage
from tournament.models import Event

BATCH: Final = 1_000


def make_elimination_matches(event: Event, draw: Draw, stage: Stage | None, matches: Iterable[AnyMatch]) -> None:
    """A row for each match of a bracket; inside an open write. `stage` is None where the bracket is the whole event."""
    rows = [
        Match(event=event, draw=draw, stage=stage, ident=match.id, round=match.round, position=match.position)
        for match in matches
    ]
    Match.objects.bulk_create(rows, batch_size=BATCH)
