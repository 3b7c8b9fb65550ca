"""The matches of one entrant, cached until a result moves the entrant."""

from collections.abc import Mapping

from pairing.models.match import PLAY
from pairing.plans.selectors import load_plan, traits_of
from pairing.stage_kinds.selectors.stages import load_course
from scoring.card_state.selectors.meetings import SeatedMatch, load_all_meetings, load_meetings_of
from tournament.core.folded import folded, folded_among
from tournament.core.selectors.events import shared_entrants
from tournament.core.topics import own_topics
from tournament.models import Entrant, Event


def own_meetings(entrant: Entrant, versions: Mapping[str, int] | None) -> list[SeatedMatch]:
    """Return `load_meetings_of` from the cache, by the versions of the topics. None loads without a cache.

    In a bracket a result names the entrants it moves. In other stages any result can move the entrant.
    """
    if versions is None:
        return load_meetings_of(entrant)
    event, name = entrant.event, ("meetings", entrant.pk)
    moved_by = () if moves_by_itself(event, versions) else PLAY
    of_one, of_all = lambda: load_meetings_of(entrant), lambda: _of_all(event, versions)
    return folded_among(event.pk, [*own_topics(entrant), *moved_by], versions, name, of_one, of_all)


def _of_all(event: Event, versions: Mapping[str, int]) -> dict[int, list[SeatedMatch]]:
    return load_all_meetings(event, set(shared_entrants(event.pk, versions).values()))


def moves_by_itself(event: Event, versions: Mapping[str, int]) -> bool:
    """Whether the rest of the event is a bracket, in which each result names every entrant that it moves."""
    return folded(event.pk, (), versions, "is bracket", lambda: _is_bracket(event))


def _is_bracket(event: Event) -> bool:
    if load_course(event).bracket is not None:
        return True
    return not load_plan(event).desk_stages and not traits_of(event).at_tables
