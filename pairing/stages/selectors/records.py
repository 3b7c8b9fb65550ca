"""The recorded facts about an event's stages: the current draw, results, removals, names and table calls."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import rfc8785
from django.db.models import Q, QuerySet

from pairing.draws.results import Credit, EntryRemoval, MatchOutcome, Meeting, RemovalReason, Result, ResultCause
from pairing.models import (
    PAIRING_AND_RESULT_TOPICS,
    DeskSettings,
    Draw,
    MatchResult,
    MatchSeat,
    Stage,
    StageEntry,
    StageLots,
    TableCall,
)
from pairing.stages.selectors.plans import load_event_plan
from tournament.core.cached import cached
from tournament.models import Entrant, EntrantFact, Event

REMOVAL_REASON_BY_KIND = {
    EntrantFact.Kind.WITHDRAWN: RemovalReason.WITHDRAWN,
    EntrantFact.Kind.NO_SHOW: RemovalReason.NO_SHOW,
    EntrantFact.Kind.ELIMINATED: RemovalReason.ELIMINATED,
    EntrantFact.Kind.DISQUALIFIED: RemovalReason.DISQUALIFIED,
}
REINSTATED_FACT_KIND = EntrantFact.Kind.REINSTATED
"""The kind of fact that cancels an entrant's removal. The entrant then counts as never removed."""


def load_posted_draw(event: Event) -> Draw | None:
    """Return the event's posted draw, or None if there is none or it was undone."""
    posted = Draw.objects.filter(commitment__event=event, posted__isnull=False, taken_back__isnull=True)
    return posted.select_related("commitment", "posted").order_by("-pk").first()


def load_open_stages(event: Event) -> QuerySet[Stage]:
    """Return the opened stages that have not been undone, in order. No stage is open before the draw is posted."""
    of_event = Stage.objects.filter(draw__commitment__event=event, draw__posted__isnull=False)
    counting = of_event.filter(draw__taken_back__isnull=True, taken_back__isnull=True)
    return counting.select_related("draw__commitment", "draw__posted").order_by("number")


def parse_match_credits(stored: dict[str, list[str]]) -> dict[int, Credit]:
    return {int(number): Credit(Result(result), ResultCause(cause)) for number, (result, cause) in stored.items()}


def read_outcome(result: MatchResult) -> MatchOutcome:
    """Return the outcome recorded in this row, even if it no longer counts."""
    winner = result.winner.number if result.winner else None
    return MatchOutcome(result.match.ident, winner, parse_match_credits(result.credits))


def is_actual_result(result: MatchResult) -> bool:
    """Return whether this row is an actual result. A row that is void or undoes a result does not count.

    A row that undoes a result has neither credits nor points. A result at a table can have points without credits.
    """
    causes = {credit.cause for credit in parse_match_credits(result.credits).values()}
    return bool(result.credits or result.score) and ResultCause.VOID not in causes


VALID_MATCH_FILTER = Q(
    draw__taken_back__isnull=True,
    seating__taken_back__isnull=True,
    stage__taken_back__isnull=True,
    pairing__taken_back__isnull=True,
    late_entry__taken_back__isnull=True,
)
"""The filter for valid matches. A match is invalid if its draw, seating, stage, pairing, or late entry was undone."""


@dataclass(frozen=True, slots=True)
class LastTableCall:
    """The latest call of a match to a table. `match` is the match's primary key.

    `table` is None if the match was taken off its table.
    """

    match: int
    table: int | None
    at: datetime


def load_last_table_calls(event: Event) -> Mapping[str, LastTableCall]:
    """Return the latest call of each match to a table, keyed by match name.

    Matches of an undone draw or undone table assignments are left out.
    """

    def make() -> dict[str, LastTableCall]:
        calls = TableCall.objects.filter(match__in=event.matches.filter(VALID_MATCH_FILTER)).order_by("pk")
        rows = calls.values_list("match__ident", "match_id", "table", "at")
        return {ident: LastTableCall(match, table, at) for ident, match, table, at in rows}

    return cached(event.pk, PAIRING_AND_RESULT_TOPICS, "last calls", make)


def load_called_tables(event: Event, idents: Iterable[str]) -> dict[str, int]:
    """Return the tables to which these matches are called. Matches without a table are left out."""
    wanted, calls = set(idents), load_last_table_calls(event)
    return {ident: call.table for ident, call in calls.items() if call.table is not None and ident in wanted}


def load_removals(event: Event) -> dict[int, EntryRemoval]:
    """Return the entries that have left, with the reasons. Canceled removals are left out."""
    facts = EntrantFact.objects.filter(
        entrant__event=event, kind__in=[*REMOVAL_REASON_BY_KIND, REINSTATED_FACT_KIND]
    ).order_by("pk")
    gone: dict[int, EntryRemoval] = {}
    for number, kind, at in facts.values_list("entrant__number", "kind", "at"):
        before = gone.pop(number, None)
        if kind != REINSTATED_FACT_KIND:
            gone[number] = EntryRemoval(
                number, REMOVAL_REASON_BY_KIND[EntrantFact.Kind(kind)], before.at if before else at
            )
    return gone


def load_current_entry_numbers(event: Event) -> list[int]:
    """Return the numbers of all entrants who are currently in the event, in ascending order.

    A draw made now would use them.
    """
    return list(event.entrants.filter(state=Entrant.State.IN).order_by("number").values_list("number", flat=True))


def load_draw_preview(event: Event) -> Draw | None:
    """Return the draw that is neither posted nor undone, or None. Only staff can see it."""
    previews = Draw.objects.filter(commitment__event=event, posted__isnull=True, taken_back__isnull=True)
    return previews.select_related("commitment").first()


def compute_result_digest(result: MatchResult) -> str:
    """Return the SHA-256 of the whole row as canonical JSON (RFC 8785), for the log.

    `undoes` is included only if it is set, because the digests of older results do not include it.
    """
    content: dict[str, Any] = {
        "match": result.match_id,
        "winner": result.winner_id,
        "credits": result.credits,
        "score": result.score,
        "supersedes": result.supersedes_id,
        "at": result.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "by": result.by_name,
        "reason": result.reason,
    }
    if result.undoes_id is not None:
        content["undoes"] = result.undoes_id
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()


# --- The facts of all stages as plain values -------------------------------------------------------------------------

_T = TypeVar("_T")


@dataclass(slots=True)
class MatchRow:
    """A match and its sides as plain values.

    Plain values are faster than model objects, and each write loads hundreds of matches.
    """

    pk: int
    stage: int
    ident: str
    round: int
    paired_at: datetime | None
    sides: list[int] = field(default_factory=list)
    outcome: MatchOutcome | None = None
    points: dict[int, int] = field(default_factory=dict)


class EventStageFacts:
    """The recorded facts about all stages of an event. Each kind of fact is loaded when it is first needed."""

    def __init__(self, event: Event, rows: Sequence[Stage], today: date) -> None:
        self.event, self.today, self.plan = event, today, load_event_plan(event)
        self.draw: Draw = rows[0].draw
        self.zone = ZoneInfo(event.tournament.time_zone)
        self.numbers = {row.pk: row.number for row in rows}

    @cached_property
    def removals(self) -> dict[int, EntryRemoval]:
        return load_removals(self.event)

    @cached_property
    def matches(self) -> dict[int, list[MatchRow]]:
        return _load_matches(self.draw)

    @cached_property
    def late_entries(self) -> dict[int, list[int]]:
        """The late entries of each stage, keyed by the stage's primary key."""
        joined = StageEntry.objects.filter(stage__draw=self.draw).order_by("pk")
        return _group_by_first(joined.values_list("stage_id", "entrant__number"))

    @cached_property
    def called_tables(self) -> dict[int, int | None]:
        calls = TableCall.objects.filter(match__draw=self.draw).order_by("pk")
        return dict(calls.values_list("match_id", "table"))

    @cached_property
    def site_names(self) -> dict[int, str]:
        return dict(self.event.entrants.values_list("number", "site"))

    @cached_property
    def desk_settings(self) -> dict[int, dict[str, Any]]:
        """The latest desk settings, keyed by stage number."""
        return dict(DeskSettings.objects.filter(event=self.event).order_by("pk").values_list("number", "settings"))

    @cached_property
    def stages_allowing_rematches_next_day(self) -> set[int]:
        """The numbers of the stages in which entries that met on an earlier day may meet again."""
        return {number for number, settings in self.desk_settings.items() if settings.get("reset_daily")}

    def find_round_count(self, number: int) -> int | None:
        """Return the number of rounds that the desk has set for this stage, or None to use the planned number."""
        rounds: int | None = self.desk_settings.get(number, {}).get("rounds")
        return rounds

    @cached_property
    def drawn_lots(self) -> dict[int, list[tuple[int, ...]]]:
        recorded = StageLots.objects.filter(stage__draw=self.draw).order_by("pk")
        return _group_by_first((stage, tuple(order)) for stage, order in recorded.values_list("stage_id", "order"))

    def make_seed(self, row: Stage) -> str:
        """Return the seed for all lots in this stage."""
        return f"{self.draw.commitment.draw_id} stage {row.number} {row.record.get('cut', '')}".strip()

    def make_meeting(self, match: MatchRow) -> Meeting:
        remembered = True
        if self.numbers.get(match.stage) in self.stages_allowing_rematches_next_day and match.paired_at is not None:
            remembered = match.paired_at.astimezone(self.zone).date() == self.today
        return Meeting(match.ident, tuple(match.sides), match.outcome, match.points, remembered)


def _load_matches(draw: Draw) -> dict[int, list[MatchRow]]:
    """Return the matches whose players are recorded (`MatchSeat`), by stage and in the order of their rounds.

    Matches whose players are computed from earlier results are left out. Each match comes with its last result. If that
    result has no credits, it only undoes the previous one, and the match is open.
    """
    counting = draw.matches.filter(VALID_MATCH_FILTER)
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
            rows[pk].outcome = MatchOutcome(rows[pk].ident, winner, parse_match_credits(credits))
            rows[pk].points = {int(number): points for number, points in score.items()}
    return _group_by_first((row.stage, row) for row in rows.values() if row.sides)


def _group_by_first(pairs: Iterable[tuple[int, _T]]) -> dict[int, list[_T]]:
    """Return the second values of the pairs, grouped by the first value and in their original order."""
    groups: dict[int, list[_T]] = {}
    for first, second in pairs:
        groups.setdefault(first, []).append(second)
    return groups
