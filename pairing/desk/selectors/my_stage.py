"""Load an entrant's status in an event with stages, for the player's own page."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from pairing.draws.stages.play_off import PlayOff
from pairing.draws.stages.pools import Pool
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.stages.selectors.boards import StageBoard, load_stage_board
from pairing.stages.selectors.course import load_final_placings, load_holds
from pairing.stages.selectors.kinds import StageState
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.selectors.pools import load_match_end_times, load_wait_start_times
from tournament.models import Entrant


class EntrantActivity(StrEnum):
    WAITS = "waits"
    HELD = "held"
    PLAYS = "plays"
    NEXT = "next"
    QUALIFIED = "qualified"
    THROUGH = "through"
    RESTS = "rests"
    OUT = "out"
    NOT_IN = "not-in"
    IN_BRACKET = "in-bracket"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class EntrantStageStatus:
    """An entrant's status in a stage.

    `why` is a summary such as “4–1: qualified with 4 wins”. `other_waiting_entrants` counts the other entrants waiting
    for a game. `opponent` is the next scheduled opponent. `entrants_ahead` is the number of entrants ahead of them in
    line. `place` is the entrant's last known place in the pool or in the event.
    """

    state: EntrantActivity
    stage: str
    record: str = ""
    why: str = ""
    since: datetime | None = None
    other_waiting_entrants: int = 0
    opponent: str = ""
    entrants_ahead: int | None = None
    place: str = ""


def load_entrant_stage_status(entrant: Entrant) -> EntrantStageStatus | None:
    """Return the entrant's status.

    Return None if no draw is posted, no stage is played at the desk, or the entrant is not in any stage.
    """
    board = load_stage_board(entrant.event) if load_event_plan(entrant.event).desk_stages else None
    if board is None or entrant.number not in board.course.entries:
        return None
    placings = load_final_placings(entrant.event)
    current = board.course.current_stage
    if placings is not None:
        place = next((str(one) for one in placings.finish if entrant.number in one.entries), "")
        return EntrantStageStatus(
            EntrantActivity.OVER, current.name, _format_record(board, entrant.number), place=place
        )
    if current.pool is not None:
        return _make_pool_status(entrant, board, current, current.pool)
    if current.play_off is not None:
        return _make_play_off_status(entrant.number, board, current, current.play_off)
    inside = entrant.number in current.row.entries
    record = _format_record(board, entrant.number)
    return EntrantStageStatus(
        EntrantActivity.IN_BRACKET if inside else EntrantActivity.NOT_IN,
        current.name,
        record,
        place=_format_place(board, entrant.number),
    )


def _make_pool_status(entrant: Entrant, board: StageBoard, stage: StageState, pool: Pool) -> EntrantStageStatus:
    number = entrant.number
    found = pool.qualifying.entrants.get(number)
    if found is None:
        return EntrantStageStatus(
            EntrantActivity.NOT_IN, stage.name, _format_record(board, number), place=_format_place(board, number)
        )
    standing = EntrantStageStatus(
        EntrantActivity.PLAYS, stage.name, str(found.record), found.why, place=_format_place(board, number)
    )
    if not found.status.is_in_play:
        return replace(
            standing,
            state=EntrantActivity.QUALIFIED if found.status is QualifyingStatus.QUALIFIED else EntrantActivity.OUT,
        )
    if found.is_playing:
        return standing
    if stage.kind.traits.all_meet:
        coming = (meeting for meeting in pool.scheduled if number in meeting.sides)
        opponent = next((meeting.get_opponent(number) for meeting in coming), None)
        if opponent is None:
            return replace(standing, state=EntrantActivity.QUALIFIED, why="")
        return replace(standing, state=EntrantActivity.NEXT, opponent=board.name(opponent), why="")
    if number in load_holds(stage.row):
        return replace(standing, state=EntrantActivity.HELD)
    since = load_wait_start_times(entrant.event, stage, load_match_end_times(stage)).get(number)
    others = len([one for one in pool.qualifying.ready_entries if one != number])
    return replace(
        standing,
        state=EntrantActivity.WAITS,
        since=since,
        other_waiting_entrants=others,
        entrants_ahead=pool.count_entries_ahead(number),
    )


def _make_play_off_status(number: int, board: StageBoard, stage: StageState, play_off: PlayOff) -> EntrantStageStatus:
    standing = EntrantStageStatus(
        EntrantActivity.OUT, stage.name, _format_record(board, number), place=_format_place(board, number)
    )
    if number in stage.row.record["through"] or number in play_off.advancing_entries:
        return replace(standing, state=EntrantActivity.THROUGH)
    if number not in stage.row.record["play_off"]:
        return standing
    why = ""
    last = max((each.number for each in play_off.rounds for match in each.matches if number in match.sides), default=0)
    for each in (one for one in play_off.rounds if one.number >= last):
        lost = [match for match in each.matches if match.is_decided and number in match.sides]
        if any(match.outcome is not None and match.outcome.winner != number for match in lost):
            return standing
        why = next((bye.why for bye in each.byes if bye.entry == number), "")
    return replace(standing, state=EntrantActivity.RESTS, why=why)


def _format_record(board: StageBoard, number: int) -> str:
    pool = _find_pool(board, number)
    return str(pool.qualifying[number].record) if pool is not None else ""


def _format_place(board: StageBoard, number: int) -> str:
    """Return the entrant's place in the last pool they played in, or an empty string before their first game."""
    pool = _find_pool(board, number)
    if pool is None or not pool.qualifying[number].record.games:
        return ""
    rows = (row for _part, ranked in pool.standings for row in ranked if row.entry == number)
    return next((str(row.place) for row in rows if row.place is not None), "")


def _find_pool(board: StageBoard, number: int) -> Pool | None:
    pools = (stage.pool for stage in reversed(board.course.pools))
    return next((pool for pool in pools if number in pool.qualifying.entrants), None)
