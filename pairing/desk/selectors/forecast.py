"""Forecast when the current stage ends, from the timed games, for a stage of any kind."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from django.utils import timezone

from pairing.above import score_cards
from pairing.desk.selectors.clock import SeatedSince, load_sat
from pairing.desk.selectors.desk import Desk, load_desk
from pairing.draws.forecast.forecast import (
    SiteDesk,
    StageForecast,
    TimedGame,
    about_table,
    about_when,
    make_hall_forecast,
    make_site_forecasts,
)
from pairing.draws.forecast.hall import ToPlay, bracket_games, fixed_games, play_off_waves, wave_games
from pairing.draws.forecast.qualifying import DeskPace as Pairs
from pairing.draws.knockout.path import path_of
from pairing.draws.knockout.progress import MatchView, State
from pairing.draws.stages.plan import StageKind
from pairing.draws.stages.pools import Pool
from pairing.knockout.selectors import Board, load_board
from pairing.matches.selectors import load_last_calls
from pairing.models import PLAY
from pairing.plans.selectors import load_plan
from pairing.stage_kinds.selectors.course import load_course
from pairing.stage_kinds.selectors.kinds import room_of
from tournament.core.selectors.kept import kept_of
from tournament.models import Event
from tournament.models.topic import ENTRANTS

ANY_DIFFERENCE: Final = 50
"""The difference in wins that the forecast uses if there is no limit."""

Place = tuple[str, str]
"""The kind of a match's stage (empty if the event has no stages), and the match's name."""


@lru_cache(maxsize=32)
def load_forecast(desk: Desk) -> StageForecast | None:
    """Return the forecast of the desk's stage, cached as long as the desk itself."""
    return None if desk.stage.is_complete else _of_desk(desk)


def load_event_forecast(event: Event, now: datetime | None = None) -> StageForecast | None:
    """Return the forecast of the current stage or single bracket, or None if the event is not in play."""
    if event.state != Event.State.IN_PLAY:
        return None
    if load_plan(event).desk_stages:
        desk = load_desk(event, now)
        return load_forecast(desk) if desk is not None else None
    at = (now or timezone.now()).astimezone(UTC).replace(second=0, microsecond=0)
    return kept_of(event, at, _of_bracket, (*PLAY, ENTRANTS))


def _of_desk(desk: Desk) -> StageForecast | None:
    if desk.stage.kind.traits.at_desk:
        return _paired_at_desk(desk)
    sizes = Sizes(desk.event)
    to_play = _to_play(desk, sizes)
    if not to_play:
        return None
    games = [*sizes.timed(load_sat(desk.event)), *_at_tables(desk, to_play)]
    tables = max(1, len(desk.free_tables) + len(desk.busy))
    return StageForecast(make_hall_forecast(to_play, games, tables, now=desk.now))


def _paired_at_desk(desk: Desk) -> StageForecast | None:
    pool = desk.course.pool
    if pool is None:
        return None
    return make_site_forecasts(
        pool.qualifying,
        desk.games,
        _sites(desk, pool),
        now=desk.now,
        since={entry: min(moment, desk.now) for entry, moment in desk.since.items()},
    )


def _sites(desk: Desk, pool: Pool) -> list[SiteDesk]:
    """Return each site with its tables.

    Sites without their own tables share the others, in proportion to the entries still in play.
    """
    plan = desk.stage.plan.pool
    if plan is None or not plan.by_site:
        tables = max(1, len(desk.free_tables) + len(desk.busy))
        return [SiteDesk("", tuple(pool.qualifying.entrants), _pairs(desk, tables))]
    own = {one.site: len(one.tables) for one in desk.terms.at_sites}
    in_play = {
        part.name: sum(pool.qualifying[entry].way.is_in_play for entry in part.entries)
        for part in pool.parts
        if part.name not in own
    }
    sharing = sum(in_play.values())
    shared = len(desk.terms.tables(max(1, sharing // 2)))
    found = []
    for part in pool.parts:
        tables = own.get(part.name) or max(1, round(shared * in_play.get(part.name, 0) / max(1, sharing)))
        found.append(SiteDesk(part.name, part.entries, _pairs(desk, tables)))
    return found


def _pairs(desk: Desk, tables: int) -> Pairs:
    terms = desk.terms
    return Pairs(
        tables=tables,
        pair_at=terms.wait_for,
        longest_wait=float(terms.longest_wait),
        difference=ANY_DIFFERENCE if terms.difference is None else terms.difference,
        grows_every=float(terms.grow_every or 0),
    )


class Sizes:
    """The lengths of matches by their points, which the app `scoring` knows from the rule sheets."""

    def __init__(self, event: Event) -> None:
        self.event = event

    def of(self, stage: str, idents: Iterable[str]) -> dict[str, float]:
        sizes = score_cards().load_match_sizes(self.event, [(stage, one) for one in idents])
        return {ident: size for (_stage, ident), size in sizes.items()}

    def of_stage(self, kind: StageKind) -> float:
        """Return the length of a game of a pool or play-off. All games of the stage have this length."""
        return self.of(kind.value, [""])[""]

    def timed(self, sat: Iterable[SeatedSince]) -> list[TimedGame]:
        listed = list(sat)
        sizes = score_cards().load_match_sizes(self.event, [(one.stage, one.ident) for one in listed])
        return [TimedGame(one.sides, one.began, one.ended, sizes[one.stage, one.ident]) for one in listed]


def _to_play(desk: Desk, sizes: Sizes) -> tuple[ToPlay, ...]:
    stage, kind = desk.stage, desk.stage.kind
    elapsed = {one.ident: _minutes(one.since, desk.now) for one in desk.busy}
    if stage.progress is not None:
        lengths = sizes.of(kind.value, stage.progress.views)
        return bracket_games(stage.progress, lengths, elapsed)
    length = sizes.of_stage(kind)
    if stage.play_off is not None:
        open_now = [(ident, elapsed.get(ident)) for ident in stage.ready]
        waves = play_off_waves(stage.play_off, len(stage.row.record["play_off"]))
        return wave_games(open_now, waves, length=length)
    if stage.pool is None:
        return ()
    playing = [one for one in stage.pool.meetings if one.outcome is None and len(one.sides) == 2]
    if kind.traits.all_meet:
        return fixed_games(stage.pool.scheduled, playing, elapsed, length=length)
    to_come = room_of(kind).waves
    at_tables = [(one.match, elapsed.get(one.match)) for one in playing]
    return wave_games(at_tables, to_come(stage.pool) if to_come is not None else [], length=length)


def _at_tables(desk: Desk, to_play: Iterable[ToPlay]) -> list[TimedGame]:
    """Return the games at tables, for the pace. They will take longer than their time so far."""
    lengths = {game.name: game.length for game in to_play}
    return [
        TimedGame(one.sides, min(one.since, desk.now), length=lengths.get(one.ident, 1.0))
        for one in desk.busy
        if one.ident in lengths
    ]


def _of_bracket(event: Event, now: datetime) -> StageForecast | None:
    progress = load_course(event).progress
    if progress is None or progress.is_complete:
        return None
    sizes, calls = Sizes(event), load_last_calls(event)
    lengths = sizes.of("", progress.views)
    called = {ident: min(call.at, now) for ident, call in calls.items() if call.table is not None}
    ready = [view for view in progress.ready if view.match.id in called]
    to_play = bracket_games(progress, lengths, {ident: _minutes(at, now) for ident, at in called.items()})
    playing = [TimedGame(view.entries, called[view.match.id], length=lengths[view.match.id]) for view in ready]
    tables = len({call.table for call in calls.values()} - {None}) or len(progress.ready)
    games = [*sizes.timed(load_sat(event)), *playing]
    return StageForecast(make_hall_forecast(to_play, games, max(1, tables), now=now))


def _minutes(since: datetime, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds() / 60)


# --- About -----------------------------------------------------------------------------------------------------------
# Estimate when a waiting player of a bracket sits down, or when the next round begins.

EVER: Final = datetime.min.replace(tzinfo=UTC)
LAST: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, eq=False)
class _Clocked:
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
    now, clocked = path_of(progress, number).now, _load_clocked(event)
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


def _about_table(event: Event, clocked: _Clocked, view: MatchView) -> datetime | None:
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
    clocked = _load_clocked(event)
    games = [clocked.at_tables.get(ident) for ident in idents]
    known = [game for game in games if game is not None]
    if not known or len(known) < len(games):
        return None
    told = (game.ended for game in clocked.over if game.ended is not None)
    return about_when(known, clocked.over, max([*(game.began for game in known), *told]))


def _load_clocked(event: Event) -> _Clocked:
    return kept_of(event, None, _make_clocked, (*PLAY, ENTRANTS))


def _make_clocked(event: Event, _at: None) -> _Clocked:
    course = load_course(event)
    ready = course.current.ready if course.stages else ()
    calls = {ident: call.at for ident, call in load_last_calls(event).items() if call.table and ident in ready}
    if not calls:
        return _Clocked((), {})
    sizes, stage = Sizes(event), course.current
    lengths = sizes.of(stage.kind.value if load_plan(event).desk_stages else "", calls)
    games = {ident: TimedGame(stage.standing[ident].entries, at, length=lengths[ident]) for ident, at in calls.items()}
    return _Clocked(tuple(sizes.timed(load_sat(event))), games)
