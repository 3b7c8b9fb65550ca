"""Load the desk settings of every stage of an event, and warn about stages with too many rounds for their field."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pairing.draws.desk.desk import DeskTerms
from pairing.draws.stages.plan import Plan, StagePlan
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.kinds import StageState
from pairing.stages.selectors.plans import load_desk_terms, load_plan
from tournament.models import Entrant, Event


@dataclass(frozen=True, slots=True)
class StageDesk:
    """The desk of one stage. `own_sites` are the sites that play separately, with their own tables.

    `rounds` is the planned number of rounds (None: nothing to shorten), and `made` how many are made.
    """

    number: int
    name: str
    plan: StagePlan
    terms: DeskTerms
    own_sites: tuple[str, ...] = ()
    is_over: bool = False
    rounds: int | None = None
    made: int = 0

    @property
    def fewest(self) -> int:
        return max(self.made, self.plan.fewest_rounds)


def load_stage_desk(event: Event, number: int | None = None) -> StageDesk | None:
    """Return the desk of a stage, by default the current or first one.

    Return None for an event of another format, or a number after the last stage.
    """
    course, planned_stages = load_course(event), load_plan(event).desk_stages
    current = course.current.number if course.stages else 1
    number = current if number is None else number
    if not 1 <= number <= len(planned_stages):
        return None
    opened = course.stages[number - 1] if course.stages and number <= current else None
    planned = opened.plan if opened is not None else planned_stages[number - 1]
    own_sites: tuple[str, ...] = ()
    if planned.pool is not None and planned.pool.by_site:
        sites = event.entrants.filter(state__in=[Entrant.State.IN, Entrant.State.REMOVED]).order_by("site")
        own_sites = tuple(sites.values_list("site", flat=True).distinct())
    return StageDesk(
        number=number,
        name=opened.name if opened is not None else planned.name,
        plan=planned,
        terms=load_desk_terms(event, number),
        own_sites=own_sites,
        is_over=number < current,
        rounds=_planned_rounds(planned_stages[number - 1]),
        made=_rounds_made(opened),
    )


def _planned_rounds(planned: StagePlan) -> int | None:
    traits = planned.kind.traits
    return None if planned.pool is None or traits.all_meet or traits.in_line else planned.pool.qualifier.games


def _rounds_made(stage: StageState | None) -> int:
    """Return the most games that any entrant has played or is playing in the stage."""
    if stage is None or stage.pool is None:
        return 0
    entrants = stage.pool.qualifying.entrants.values()
    return max((one.record.games + one.is_playing for one in entrants), default=0)


def load_stages_to_set(event: Event) -> list[tuple[int, str]]:
    """Return number and name of the current and all later stages."""
    course = load_course(event)
    current = course.current.number if course.stages else 1
    stages = enumerate(load_plan(event).desk_stages, start=1)
    return [(number, stage.name) for number, stage in stages if number >= current]


# --- Stages with more rounds than their field can play without a rematch ---------------------------------------------


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
    if course.stages:
        return [*too_many_rounds_in(course.current), *_warn_later(event, plan, course.current.number + 1)]
    first = plan.stages[0].with_rounds(load_desk_terms(event, 1).rounds)
    sites = list(event.entrants.filter(state=Entrant.State.IN).values_list("site", flat=True))
    fields = Counter(sites) if first.pool and first.pool.by_site else Counter({"": len(sites)})
    return [*_warn(1, first, sorted(fields.items())), *_warn_later(event, plan, 2)]


def too_many_rounds_in(stage: StageState) -> list[TooManyRounds]:
    """Return warnings for an opened stage, counting the entrants who are still in it."""
    if stage.pool is None:
        return []
    inside = {entry for entry, one in stage.pool.qualifying.entrants.items() if one.removal is None}
    own = stage.pool.parts if stage.pool.terms.by_site else ()
    fields = [(part.name, len(inside.intersection(part.entries))) for part in own] or [("", len(inside))]
    return list(_warn(stage.number, stage.plan, fields))


def _warn_later(event: Event, plan: Plan, first: int) -> Iterator[TooManyRounds]:
    """Yield warnings for later stages whose number of entrants follows from the pool before them."""
    for number in range(first, len(plan.stages) + 1):
        before = plan.stages[number - 2].pool
        if before is not None and before.best is not None and not before.by_site:
            stage = plan.stages[number - 1].with_rounds(load_desk_terms(event, number).rounds)
            yield from _warn(number, stage, [("", before.best * before.groups)])


def _warn(number: int, stage: StagePlan, fields: Iterable[tuple[str, int]]) -> Iterator[TooManyRounds]:
    for site, field in fields:
        most = stage.rematch_rounds(field)
        if most is not None and stage.pool is not None:
            yield TooManyRounds(number, stage.name, stage.pool.qualifier.games, field, most, site)
