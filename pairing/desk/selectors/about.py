"""About when a player of a bracket sits down next, or the next round begins, by the clock.

A page says it from what its own topics cover: who waits is told of the call of the match before (`call_to_table`), and
the pace is that of the matches that were over when they were told last. So no other result wakes them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from pairing.desk.selectors.clock import load_sat
from pairing.desk.selectors.forecast import Sizes
from pairing.draws.forecast.forecast_next import about_when
from pairing.draws.forecast.forecast_values import TimedGame
from pairing.draws.knockout.path import path_of
from pairing.draws.knockout.progress import State
from pairing.knockout.selectors import Board, load_board
from pairing.matches.selectors.records import load_last_calls
from pairing.models.match import PLAY
from pairing.plans.selectors import load_plan
from pairing.stage_kinds.selectors.stages import load_course
from tournament.core.selectors.kept import kept_of
from tournament.models import Event
from tournament.models.topic import ENTRANTS


@dataclass(frozen=True, eq=False)
class Clocked:
    """The matches of an event as the clock saw them: those that are over; by name those at a table now."""

    over: tuple[TimedGame, ...]
    at_tables: Mapping[str, TimedGame]


def load_about(event: Event, number: int) -> datetime | None:
    """When the match ends that somebody waits for; None where it is at no table, or nothing can be said."""
    board = load_board(event) if event.state == Event.State.IN_PLAY else None
    before = _match_before(board, number) if board is not None else ""
    if board is None or before not in board.tables:
        return None
    clocked = load_clocked(event)
    match = clocked.at_tables.get(before)
    if match is None:
        return None
    own = (game.ended for game in clocked.over if number in game.sides and game.ended is not None)
    return about_when([match], clocked.over, max([match.began, *own]))


def load_about_round(event: Event, idents: Iterable[str]) -> datetime | None:
    """When the last of these matches ends; None where one of them is at no table yet. For pages that follow play."""
    clocked = load_clocked(event)
    games = [clocked.at_tables.get(ident) for ident in idents]
    known = [game for game in games if game is not None]
    if not known or len(known) < len(games):
        return None
    told = (game.ended for game in clocked.over if game.ended is not None)
    return about_when(known, clocked.over, max([*(game.began for game in known), *told]))


def _match_before(board: Board, number: int) -> str:
    """The match whose winner or loser they meet next, where that is not known yet."""
    if number not in board.progress.bracket.entries:
        return ""
    now = path_of(board.progress, number).now
    if now is None or now.state is not State.WAITING:
        return ""
    open_side = next((side for side in now.sides if not side.is_known), None)
    return getattr(open_side.source, "match", "") if open_side is not None else ""


def load_clocked(event: Event) -> Clocked:
    return kept_of(event, None, _make_clocked, (*PLAY, ENTRANTS))


def _make_clocked(event: Event, _at: None) -> Clocked:
    sizes, course = Sizes(event), load_course(event)
    over = tuple(sizes.timed(load_sat(event)))
    if not course.stages:
        return Clocked(over, {})
    stage = course.current
    kind = stage.kind.value if load_plan(event).desk_stages else ""
    calls = {ident: call.at for ident, call in load_last_calls(event).items() if call.table and ident in stage.ready}
    lengths = sizes.of(kind, calls)
    games = {ident: TimedGame(stage.standing[ident].entries, at, length=lengths[ident]) for ident, at in calls.items()}
    return Clocked(over, games)
