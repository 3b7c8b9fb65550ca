"""Find stages with more rounds than their field can play without a rematch, for warnings in plans and at the desk."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pairing.desk.selectors.waiting import load_desk_terms
from pairing.draws.stages.plan import Plan, StagePlan, rematch_rounds, with_rounds
from pairing.plans.selectors import load_plan
from pairing.stage_kinds.selectors.stage_state import StageState
from pairing.stage_kinds.selectors.stages import load_course
from tournament.models import Entrant, Event


@dataclass(frozen=True, slots=True)
class TooManyRounds:
    """A stage or site that has too many rounds: its `field` can play only `most` of `rounds` without a rematch."""

    number: int
    stage: str
    rounds: int
    field: int
    most: int
    site: str = ""


def load_too_many_rounds(event: Event) -> list[TooManyRounds]:
    """Return warnings for the current and later stages, as far as their number of entrants is known."""
    if not load_plan(event).desk_stages:
        return []
    plan, course = load_plan(event), load_course(event)
    if not course.stages:
        first = _planned(event, plan, 1)
        return [*_warned(1, first, _entered(event, first)), *_of_later(event, plan, 2)]
    return [*too_many_rounds_in(course.current), *_of_later(event, plan, course.current.number + 1)]


def _planned(event: Event, plan: Plan, number: int) -> StagePlan:
    return with_rounds(plan.stages[number - 1], load_desk_terms(event, number).rounds)


def too_many_rounds_in(stage: StageState) -> list[TooManyRounds]:
    """Return warnings for an opened stage, counting the entrants who are still in it."""
    if stage.pool is None:
        return []
    inside = {entry for entry, one in stage.pool.qualifying.entrants.items() if one.removal is None}
    own = stage.pool.parts if stage.pool.terms.by_site else ()
    fields = [(part.name, len(inside.intersection(part.entries))) for part in own] or [("", len(inside))]
    return list(_warned(stage.number, stage.plan, fields))


def _of_later(event: Event, plan: Plan, first: int) -> Iterator[TooManyRounds]:
    """Yield warnings for later stages whose number of entrants follows from the pool before them."""
    for number in range(first, len(plan.stages) + 1):
        before = plan.stages[number - 2].pool
        if before is not None and before.best is not None and not before.by_site:
            yield from _warned(number, _planned(event, plan, number), [("", before.best * before.groups)])


def _warned(number: int, stage: StagePlan, fields: Iterable[tuple[str, int]]) -> Iterator[TooManyRounds]:
    for site, field in fields:
        most = rematch_rounds(stage, field)
        if most is not None and stage.pool is not None:
            yield TooManyRounds(number, stage.name, stage.pool.qualifier.games, field, most, site)


def _entered(event: Event, stage: StagePlan) -> list[tuple[str, int]]:
    sites = list(event.entrants.filter(state=Entrant.State.IN).values_list("site", flat=True))
    counted = Counter(sites) if stage.pool and stage.pool.by_site else Counter({"": len(sites)})
    return sorted(counted.items())
