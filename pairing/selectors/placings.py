from __future__ import annotations

from collections.abc import Iterator

from pairing.draws.knockout.elimination import make_any_placings
from pairing.draws.knockout.placing import Placings
from pairing.draws.stages.stage_places import groups_of_play_off, groups_of_pool, place_stages
from pairing.draws.table_rounds.rounds import make_standings, make_standings_at_end, place_standings
from pairing.selectors.openings import is_over
from pairing.selectors.stages import Course, StageState, load_course
from tournament.models import Event
from tournament.selectors.ledger import load_ended_early


def load_final_placings(event: Event) -> Placings | None:
    """Who came where, by whatever format; None while something is still to be decided.

    Of an event that was ended early: who stood where then.
    """
    found = _load_decided(event)
    return load_placings_so_far(event) if found is None and load_ended_early(event) is not None else found


def load_placings_so_far(event: Event) -> Placings | None:
    """Who stands where now, by what was played: the places of an event that is ended early.

    Who is still in shares the first place of a bracket or play-off; where nobody has played, all are level. None
    before a draw is posted, and where two sides turn: there the cards are closed, and their totals stand.
    """
    course = load_course(event)
    if course is None:
        return None
    stage = course.current
    if stage.rounds is not None:
        return place_standings(make_standings_at_end(stage.rounds))
    return stage.totals if stage.kind.turns else place_course(course)


def _load_decided(event: Event) -> Placings | None:
    course = load_course(event)
    if course is None or not is_over(course):
        return None
    stage = course.current
    if stage.rounds is not None:
        return place_standings(make_standings(stage.rounds))
    return stage.totals if stage.kind.turns else place_course(course)


def place_course(course: Course) -> Placings:
    """Everybody of an event in which two meet: by the bracket, then the play-off, then the standings of the pools."""
    without = {entry for stage in course.stages for entry in _disqualified(stage)}
    return place_stages((_groups(course, stage) for stage in reversed(course.stages)), without)


def _disqualified(stage: StageState) -> Iterator[int]:
    if stage.pool is not None:
        yield from (entry for entry, why in stage.pool.gone.items() if not why.keeps_place)
    if stage.progress is not None:
        yield from make_any_placings(stage.progress).disqualified


def _groups(course: Course, stage: StageState) -> Iterator[tuple[int, ...]]:
    """Those who are still in a bracket first: it is not over, and the event ends early."""
    if stage.progress is not None:
        made = make_any_placings(stage.progress)
        yield from [made.still_in] if made.still_in else []
        yield from (placing.entries for placing in made.finish)
    elif stage.pool is not None:
        yield from groups_of_pool(stage.pool)
    elif stage.play_off is not None:
        before = next(each.pool for each in reversed(course.stages[: stage.number - 1]) if each.pool is not None)
        yield from groups_of_play_off(stage.play_off, stage.row.record["through"], before)
