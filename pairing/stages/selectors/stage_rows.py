"""The recorded facts for all stages of an event, read once and as plain values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from pairing.draws.results import MatchOutcome, Meeting, Removed
from pairing.models import DeskSettings, Draw, MatchResult, MatchSeat, Stage, StageEntry, StageLots, TableCall
from pairing.stages.selectors.plans import load_plan
from pairing.stages.selectors.records import COUNTING, load_removed, read_credits
from tournament.models import Event

T = TypeVar("T")


@dataclass(slots=True)
class MatchRow:
    """A match with seats as plain values. Every write reads hundreds of them, so they are no model instances."""

    pk: int
    stage: int
    ident: str
    round: int
    paired_at: datetime | None
    sides: list[int] = field(default_factory=list)
    outcome: MatchOutcome | None = None
    points: dict[int, int] = field(default_factory=dict)


class RecordedFacts:
    """The recorded facts for all stages of an event. Each is read once, when a stage first asks for it."""

    def __init__(self, event: Event, rows: Sequence[Stage], today: date) -> None:
        self.event, self.today, self.plan = event, today, load_plan(event)
        self.draw: Draw = rows[0].draw
        self.zone = ZoneInfo(event.tournament.time_zone)
        self.numbers = {row.pk: row.number for row in rows}

    @cached_property
    def gone(self) -> dict[int, Removed]:
        return load_removed(self.event)

    @cached_property
    def matches(self) -> dict[int, list[MatchRow]]:
        return _load_matches(self.draw)

    @cached_property
    def late(self) -> dict[int, list[int]]:
        """The late entries of each stage, by the stage's primary key."""
        joined = StageEntry.objects.filter(stage__draw=self.draw).order_by("pk")
        return _group(joined.values_list("stage_id", "entrant__number"))

    @cached_property
    def called(self) -> dict[int, int | None]:
        calls = TableCall.objects.filter(match__draw=self.draw).order_by("pk")
        return dict(calls.values_list("match_id", "table"))

    @cached_property
    def sites(self) -> dict[int, str]:
        return dict(self.event.entrants.values_list("number", "site"))

    @cached_property
    def desks(self) -> dict[int, dict[str, Any]]:
        """The newest settings of the desk, by the number of the stage."""
        return dict(DeskSettings.objects.filter(event=self.event).order_by("pk").values_list("number", "settings"))

    @cached_property
    def resets(self) -> set[int]:
        """The numbers of the stages in which a rematch is allowed again every day."""
        return {number for number, settings in self.desks.items() if settings.get("reset_daily")}

    def rounds(self, number: int) -> int | None:
        """Return how many rounds the director wants in this stage, or None for as many as planned."""
        found: int | None = self.desks.get(number, {}).get("rounds")
        return found

    @cached_property
    def lots(self) -> dict[int, list[tuple[int, ...]]]:
        recorded = StageLots.objects.filter(stage__draw=self.draw).order_by("pk")
        return _group((stage, tuple(order)) for stage, order in recorded.values_list("stage_id", "order"))

    def seed(self, row: Stage) -> str:
        """Return the seed for every lot of this stage."""
        return f"{self.draw.commitment.draw_id} stage {row.number} {row.record.get('cut', '')}".strip()

    def meeting(self, match: MatchRow) -> Meeting:
        remembered = True
        if self.numbers.get(match.stage) in self.resets and match.paired_at is not None:
            remembered = match.paired_at.astimezone(self.zone).date() == self.today
        return Meeting(match.ident, tuple(match.sides), match.outcome, match.points, remembered)


def _load_matches(draw: Draw) -> dict[int, list[MatchRow]]:
    """Return the matches with seats by stage, each with its last result, in the order in which they were made.

    A result without credits takes back the one before it, so the match is open.
    """
    counting = draw.matches.filter(COUNTING)
    listed = counting.order_by("round", "position", "pk").values_list("pk", "stage_id", "ident", "round", "pairing__at")
    rows = {row[0]: MatchRow(*row) for row in listed}
    seats = MatchSeat.objects.filter(match__draw=draw).order_by("position")
    for pk, number in seats.values_list("match_id", "entrant__number"):
        if pk in rows:
            rows[pk].sides.append(number)
    results = MatchResult.objects.filter(match__draw=draw, superseded_by__isnull=True)
    last = results.order_by("pk").values_list("match_id", "winner__number", "credits", "score")
    for pk, winner, credits, score in last:
        if pk in rows and rows[pk].sides and credits:
            rows[pk].outcome = MatchOutcome(rows[pk].ident, winner, read_credits(credits))
            rows[pk].points = {int(number): points for number, points in score.items()}
    return _group((row.stage, row) for row in rows.values() if row.sides)


def _group(pairs: Iterable[tuple[int, T]]) -> dict[int, list[T]]:
    """Map the first value of each pair to the second values, in order."""
    found: dict[int, list[T]] = {}
    for first, second in pairs:
        found.setdefault(first, []).append(second)
    return found
