"""The state of a stage in which two sides rotate against each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from pairing.draws.knockout.elimination import Placings
from pairing.draws.results import Removal
from pairing.draws.stages.plan import StagePlan
from pairing.draws.two_sides import split
from pairing.models import Match, MatchResult, Stage
from pairing.stage_kinds.selectors.stage_rows import RecordedFacts
from pairing.stage_kinds.selectors.stage_state import MatchNow, StageState
from pairing.stage_kinds.selectors.turning import Turning
from tournament.models import Entrant, Event
from tournament.purse import place_finish
from tournament.registration.selectors.entry_options import side_names


@dataclass(frozen=True, kw_only=True)
class SidesStage(StageState):
    """A stage that is a single match. `totals` are the places by its points, or None before they are known."""

    turning: Turning
    totals: Placings | None

    @property
    def is_complete(self) -> bool:
        return self.totals is not None

    @cached_property
    def standing(self) -> Mapping[str, MatchNow]:
        return {}

    @property
    def ready(self) -> tuple[str, ...]:
        return ()

    def groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        yield from (placing.entries for placing in self.totals.finish) if self.totals is not None else ()

    def placings(self, before: Sequence[StageState]) -> Placings | None:
        return self.totals


def load_sides_stage(facts: RecordedFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]) -> SidesStage:
    turning, totals = _turning(facts.event, row), _load_totals(facts)
    return SidesStage(row=row, plan=planned, seed=facts.seed(row), turning=turning, totals=totals)


def _turning(event: Event, stage: Stage) -> Turning:
    names = side_names(event)
    assert names is not None
    inside = Entrant.objects.filter(event=event.pk, number__in=stage.entries)
    people = {entrant.number: entrant for entrant in inside}
    return Turning(
        stage=stage,
        match=Match.objects.values_list("pk", flat=True).get(stage=stage),
        names=names,
        sides=split(stage.entries, {number: entrant.side for number, entrant in people.items()}),
        people=people,
        rounds=tuple(stage.seatings.filter(posted__isnull=False, taken_back__isnull=True).order_by("round")),
    )


def _load_totals(facts: RecordedFacts) -> Placings | None:
    """Return the places by the points of the single result, or None without a result. Equal points share a place.

    In a game of two teams everybody has the team's points, so the winners tie for the first place.
    """
    results = MatchResult.objects.filter(match__event=facts.event, match__draw__taken_back__isnull=True)
    last = results.order_by("-pk").first()
    if last is None or not last.score:
        return None
    without = {entry for entry, out in facts.gone.items() if out.why is Removal.DISQUALIFIED}
    points = {int(number): total for number, total in last.score.items() if int(number) not in without}
    order = sorted(points, key=lambda number: (-points[number], number))
    groups = [list(group) for _points, group in groupby(order, key=lambda number: points[number])]
    return Placings(place_finish(groups), (), tuple(sorted(without)))
