"""Whom an entrant meets, folded once while nobody's result has moved them."""

from collections.abc import Mapping
from typing import Final

from scoring.card_state.selectors.meetings import SeatedMatch, load_meetings_of
from tournament.core.folded import folded
from tournament.models import Entrant

MEETINGS: Final[tuple[str, ...]] = ()
"""The topics of who meets whom: draws, pairings and results concern everybody."""


def own_meetings(entrant: Entrant, versions: Mapping[str, int] | None) -> list[SeatedMatch]:
    """Those of `load_meetings_of` by the versions of the topics before anything was read; None: read anew."""
    if versions is None:
        return load_meetings_of(entrant)
    name = ("meetings", entrant.pk)
    return folded(entrant.event_id, MEETINGS, versions, name, lambda: load_meetings_of(entrant))
