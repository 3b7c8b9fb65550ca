"""Forecast when the current stage ends, from the timed games, for a stage of any kind."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from django.utils import timezone

from pairing.above import score_cards
from pairing.desk.selectors.clock import SeatedSince, load_sat
from pairing.desk.selectors.waiting import Desk, load_desk
from pairing.draws.forecast.forecast import SiteDesk, StageForecast, TimedGame, make_hall_forecast, make_site_forecasts
from pairing.draws.forecast.hall import ToPlay, bracket_games, fixed_games, play_off_waves, wave_games
from pairing.draws.forecast.qualifying import DeskPace as Pairs
from pairing.draws.stages.plan import StageKind
from pairing.draws.stages.pools import Pool
from pairing.matches.selectors.records import load_last_calls
from pairing.models.match import PLAY
from pairing.plans.selectors import load_plan
from pairing.stage_kinds.selectors.kind_rooms import room_of
from pairing.stage_kinds.selectors.stages import load_course
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
