"""Load the times of the desk: how long players have waited, and when games began and ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pairing.draws.forecast.forecast import TimedGame
from pairing.draws.results import SAT_DOWN
from pairing.models import MatchResult, TableCall
from pairing.stages.selectors.kinds import StageState
from pairing.stages.selectors.records import COUNTING, REMOVALS, LastCall
from tournament.models import EntrantFact, Event


def load_end_times(stage: StageState) -> dict[str, datetime]:
    """Return when each match ended: at its first result since it was undone, or at its last result if it is void."""
    meetings = {match.row: match.meeting for match in stage.matches.values()}
    ended: dict[str, datetime] = {}
    if not meetings:  # The matches of a bracket are not among them.
        return ended
    results = MatchResult.objects.filter(match__stage=stage.row).order_by("pk")
    for row, at, credits in results.values_list("match_id", "at", "credits"):
        met = meetings.get(row)
        if met is None:
            continue
        if not credits:
            ended.pop(met.match, None)
        elif met.match not in ended or (met.outcome is not None and met.outcome.is_void):
            ended[met.match] = at
    return ended


def load_since(event: Event, stage: StageState, ended: Mapping[str, datetime]) -> dict[int, datetime]:
    """Return when each entry began to wait: at its last game's end, its late entry, or the start of the stage."""
    if stage.pool is None:
        return {}
    steps = event.steps.filter(went_to=Event.State.IN_PLAY).order_by("pk").values_list("at", flat=True)
    began = max([stage.row.at, *steps[:1]])
    joined = {late.entrant.number: late.at for late in stage.row.late_entries.all()}
    since = {entry: max(began, joined.get(entry, began)) for entry in stage.pool.qualifying.entrants}
    facts = EntrantFact.objects.filter(entrant__event=event, kind__in=list(REMOVALS)).order_by("pk")
    gone = dict(facts.values_list("entrant__number", "at"))
    for match in stage.matches.values():
        sides = match.meeting.sides
        at = ended.get(match.meeting.match)
        if at is None and match.by_itself:
            at = max((gone[side] for side in sides if side in gone), default=None)
        if at is not None and len(sides) > 1:
            since.update((side, max(since[side], at)) for side in sides if side in since)
    return since


def timed_games(
    stage: StageState, calls: Mapping[str, LastCall], ended: Mapping[str, datetime], now: datetime
) -> list[TimedGame]:
    """Return the games that are or were at a table, with their times so far."""
    found = []
    for match in stage.matches.values():
        meeting, call = match.meeting, calls.get(match.meeting.match)
        if call is None or len(meeting.sides) < 2 or match.by_itself:
            continue
        if meeting.outcome is None:
            if call.table is not None:
                found.append(TimedGame(meeting.sides, min(call.at, now)))
        elif any(credit.cause in SAT_DOWN for credit in meeting.outcome.credits.values()):
            end = ended.get(meeting.match, call.at)
            found.append(TimedGame(meeting.sides, min(call.at, end), end))
    return found


@dataclass(frozen=True, slots=True)
class TableMatch:
    """A match that was played at a table and has ended. `stage` is the kind of its stage, or empty."""

    stage: str
    ident: str
    sides: tuple[int, ...]
    began: datetime
    ended: datetime


def load_table_matches(event: Event) -> list[TableMatch]:
    """Return every match of the event that was called to a table and played there.

    A match ended at its first result, because a correction comes later. Its last result says if it was played.
    """
    counting = event.matches.filter(COUNTING)
    calls = TableCall.objects.filter(match__in=counting, table__isnull=False).order_by("pk")
    called: dict[int, list[datetime]] = {}
    for match, at in calls.values_list("match_id", "at"):
        called.setdefault(match, []).append(at)
    rows = MatchResult.objects.filter(match__in=counting).order_by("pk")
    found: dict[int, TableMatch] = {}
    for match, kind, ident, at, credits in rows.values_list(
        "match_id", "match__stage__kind", "match__ident", "at", "credits"
    ):
        ended = found[match].ended if match in found else at
        began = max((one for one in called.get(match, ()) if one <= ended), default=None)
        found.pop(match, None)
        if began is not None and any(cause in SAT_DOWN for _result, cause in credits.values()):
            found[match] = TableMatch(kind or "", ident, tuple(map(int, credits)), began, ended)
    return list(found.values())
