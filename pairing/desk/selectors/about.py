"""Estimate when a waiting player of a bracket sits down, or when the next round begins.

The estimate uses only facts that wake the player's page anyway.
A waiting player's page wakes when the match before is called to a table (`call_to_table`).
The pace comes from the matches that were over at that time, so no other result wakes the page.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from pairing.desk.selectors.clock import load_sat
from pairing.desk.selectors.forecast import Sizes
from pairing.draws.forecast.forecast import TimedGame, about_table, about_when
from pairing.draws.knockout.path import path_of
from pairing.draws.knockout.progress import MatchView, State
from pairing.knockout.selectors import Board, load_board
from pairing.matches.selectors.records import load_last_calls
from pairing.models.match import PLAY
from pairing.plans.selectors import load_plan
from pairing.stage_kinds.selectors.stages import load_course
from tournament.core.selectors.kept import kept_of
from tournament.models import Event
from tournament.models.topic import ENTRANTS

EVER: Final = datetime.min.replace(tzinfo=UTC)
LAST: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, eq=False)
class Clocked:
    """The timed games of an event. `over` is empty unless a match is at a table."""

    over: tuple[TimedGame, ...]
    at_tables: Mapping[str, TimedGame]


def load_about(event: Event, number: int) -> datetime | None:
    """Estimate when an entrant's next match can begin, or return None if nothing can be estimated.

    It waits for the match before it to end, or for a free table.
    """
    progress = load_course(event).progress if event.state == Event.State.IN_PLAY else None
    if progress is None or number not in progress.bracket.entries:
        return None
    now, clocked = path_of(progress, number).now, load_clocked(event)
    if now is None or not clocked.at_tables or now.match.id in clocked.at_tables:
        return None
    if now.state is State.READY:
        return _about_table(event, clocked, now)
    open_side = next((side for side in now.sides if not side.is_known), None)
    before = clocked.at_tables.get(getattr(open_side.source, "match", "")) if open_side is not None else None
    if before is None:
        return None
    own = (game.ended for game in clocked.over if number in game.sides and game.ended is not None)
    return about_when([before], clocked.over, max([before.began, *own]))


def _about_table(event: Event, clocked: Clocked, view: MatchView) -> datetime | None:
    """Estimate when a table is free, using only results recorded until both sides were known."""
    board = load_board(event)
    since = _ready_since(board, view) if board is not None else None
    if board is None or since is None:
        return None
    games = [*clocked.over, *clocked.at_tables.values()]
    called = {frozenset(game.sides): game.began for game in games}
    ahead = sum(
        (_ready_since(board, other) or EVER) < since < called.get(frozenset(other.entries), LAST)
        for other in board.progress.views.values()
        if len(other.entries) == 2 and not _is_over(board, other, since)
    )
    return about_table(ahead, games, since)


def _is_over(board: Board, view: MatchView, since: datetime) -> bool:
    """Return whether the match was over at `since`. If it was decided by itself, only its present state is known."""
    recorded = board.recorded.get(view.match.id)
    return recorded.at <= since if recorded is not None else view.state is State.DECIDED


def _ready_since(board: Board, view: MatchView) -> datetime | None:
    """Return when the last result before this match was recorded, or None if it waited for no result."""
    before = (getattr(side.source, "match", "") for side in view.sides)
    return max((board.recorded[ident].at for ident in before if ident in board.recorded), default=None)


def load_about_round(event: Event, idents: Iterable[str]) -> datetime | None:
    """Estimate when the last of these matches ends, or return None if one has no table.

    Use it only on pages that follow play.
    """
    clocked = load_clocked(event)
    games = [clocked.at_tables.get(ident) for ident in idents]
    known = [game for game in games if game is not None]
    if not known or len(known) < len(games):
        return None
    told = (game.ended for game in clocked.over if game.ended is not None)
    return about_when(known, clocked.over, max([*(game.began for game in known), *told]))


def load_clocked(event: Event) -> Clocked:
    return kept_of(event, None, _make_clocked, (*PLAY, ENTRANTS))


def _make_clocked(event: Event, _at: None) -> Clocked:
    course = load_course(event)
    ready = course.current.ready if course.stages else ()
    calls = {ident: call.at for ident, call in load_last_calls(event).items() if call.table and ident in ready}
    if not calls:
        return Clocked((), {})
    sizes, stage = Sizes(event), course.current
    lengths = sizes.of(stage.kind.value if load_plan(event).desk_stages else "", calls)
    games = {ident: TimedGame(stage.standing[ident].entries, at, length=lengths[ident]) for ident, at in calls.items()}
    return Clocked(tuple(sizes.timed(load_sat(event))), games)
