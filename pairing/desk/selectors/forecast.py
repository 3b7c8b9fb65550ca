"""Forecast when the current stage ends, when the next round begins, and when a player plays next."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from django.utils import timezone

from pairing.desk.selectors.desk import PairingDesk, load_pairing_desk
from pairing.draws.forecast.forecast import (
    SiteDeskSetup,
    StageForecast,
    TimedGame,
    count_play_off_matches_per_round,
    estimate_end_of_matches,
    estimate_free_table_time,
    forecast_known_games,
    list_bracket_games,
    list_games_in_waves,
    list_scheduled_games,
    make_stage_forecast,
)
from pairing.draws.forecast.simulation import RemainingGame
from pairing.draws.knockout.progress import BracketMatchProgress, BracketMatchState, find_bracket_path
from pairing.draws.results import CAUSES_PROVING_ATTENDANCE
from pairing.draws.stages.pools import Pool
from pairing.models import PAIRING_AND_RESULT_TOPICS, MatchResult, TableCall
from pairing.ports import score_cards
from pairing.stages.selectors.boards import BracketBoard, load_bracket_board
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.kinds import find_stage_kind_hooks
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.selectors.records import VALID_MATCH_FILTER, load_last_table_calls
from tournament.core.cached import cached
from tournament.core.selectors.events import load_current_event
from tournament.models import Event
from tournament.models.topic import ENTRANTS_TOPIC


@lru_cache(maxsize=32)
def load_forecast(desk: PairingDesk) -> StageForecast | None:
    """Return the forecast of when the desk's current stage ends."""
    return None if desk.stage.is_complete else _forecast_desk(desk)


def load_event_forecast(event: Event, now: datetime | None = None) -> StageForecast | None:
    """Return the forecast of when an event's current stage ends, even if it is not paired at the desk.

    Return None if the event is not in progress, or if there is nothing to forecast.
    """
    if event.state != Event.State.IN_PLAY:
        return None
    if load_event_plan(event).desk_stages:
        desk = load_pairing_desk(event, now)
        return load_forecast(desk) if desk is not None else None
    at = (now or timezone.now()).astimezone(UTC).replace(second=0, microsecond=0)
    topics = (*PAIRING_AND_RESULT_TOPICS, ENTRANTS_TOPIC)
    return cached(event.pk, topics, "bracket forecast", lambda: _forecast_bracket(load_current_event(event), at), at=at)


def _forecast_desk(desk: PairingDesk) -> StageForecast | None:
    if desk.stage.kind.traits.at_desk:
        return _forecast_pairing(desk)
    to_play = _list_remaining_games(desk)
    if not to_play:
        return None
    games = [*_load_past_games(desk.event), *_list_games_at_tables(desk, to_play)]
    tables = max(1, len(desk.free_tables) + len(desk.busy_tables))
    return StageForecast(forecast_known_games(to_play, games, tables, now=desk.now))


def _forecast_pairing(desk: PairingDesk) -> StageForecast | None:
    pool = desk.course.pool
    if pool is None:
        return None
    return make_stage_forecast(
        pool.qualifying,
        desk.games,
        _list_sites(desk, pool),
        now=desk.now,
        since={entry: min(moment, desk.now) for entry, moment in desk.waiting_since.items()},
    )


def _list_sites(desk: PairingDesk, pool: Pool) -> list[SiteDeskSetup]:
    """Return each site's entries, number of tables, and desk settings.

    Sites without tables of their own divide the remaining tables in proportion to their active entries.
    """
    plan = desk.stage.plan.pool
    if plan is None or not plan.by_site:
        tables = max(1, len(desk.free_tables) + len(desk.busy_tables))
        return [SiteDeskSetup("", tuple(pool.qualifying.entrants), tables, desk.terms)]
    own = {one.site: len(one.tables) for one in desk.terms.at_sites}
    in_play = {
        part.name: sum(pool.qualifying[entry].status.is_in_play for entry in part.entries)
        for part in pool.parts
        if part.name not in own
    }
    sharing = sum(in_play.values())
    shared = len(desk.terms.list_tables(max(1, sharing // 2)))
    found = []
    for part in pool.parts:
        tables = own.get(part.name) or max(1, round(shared * in_play.get(part.name, 0) / max(1, sharing)))
        found.append(SiteDeskSetup(part.name, part.entries, tables, desk.terms))
    return found


def _load_relative_lengths(event: Event, stage: str, idents: Iterable[str]) -> dict[str, float]:
    sizes = score_cards().load_relative_match_lengths(event, [(stage, one) for one in idents])
    return {ident: size for (_stage, ident), size in sizes.items()}


def _load_past_games(event: Event) -> list[TimedGame]:
    """Return every game that was called to a table and played there, with its start and end.

    A game's first result marks its end, because later results are corrections. The last result shows whether the game
    was played.
    """
    counting = event.matches.filter(VALID_MATCH_FILTER)
    calls = TableCall.objects.filter(match__in=counting, table__isnull=False).order_by("pk")
    called: dict[int, list[datetime]] = {}
    for match, at in calls.values_list("match_id", "at"):
        called.setdefault(match, []).append(at)
    rows = MatchResult.objects.filter(match__in=counting).order_by("pk")
    games: dict[int, tuple[tuple[str, str], TimedGame]] = {}
    for match, kind, ident, at, credits in rows.values_list(
        "match_id", "match__stage__kind", "match__ident", "at", "credits"
    ):
        ended = (games[match][1].ended if match in games else None) or at
        began = max((one for one in called.get(match, ()) if one <= ended), default=None)
        games.pop(match, None)
        if began is not None and any(cause in CAUSES_PROVING_ATTENDANCE for _result, cause in credits.values()):
            games[match] = (kind or "", ident), TimedGame(tuple(map(int, credits)), began, ended)
    sizes = score_cards().load_relative_match_lengths(event, [name for name, _game in games.values()])
    return [replace(game, length=sizes[name]) for name, game in games.values()]


def _list_remaining_games(desk: PairingDesk) -> tuple[RemainingGame, ...]:
    stage, kind = desk.stage, desk.stage.kind
    elapsed = {one.ident: _compute_minutes(one.since, desk.now) for one in desk.busy_tables}
    if stage.progress is not None:
        lengths = _load_relative_lengths(desk.event, kind.value, stage.progress.views)
        return list_bracket_games(stage.progress, lengths, elapsed)
    length = _load_relative_lengths(desk.event, kind.value, [""])[
        ""
    ]  # All games of a pool or play-off have this length.
    if stage.play_off is not None:
        open_now = [(ident, elapsed.get(ident)) for ident in stage.ready_matches]
        waves = count_play_off_matches_per_round(stage.play_off, len(stage.row.record["play_off"]))
        return list_games_in_waves(open_now, waves, length=length)
    if stage.pool is None:
        return ()
    playing = [one for one in stage.pool.meetings if one.outcome is None and len(one.sides) == 2]
    if kind.traits.all_meet:
        return list_scheduled_games(stage.pool.scheduled, playing, elapsed, length=length)
    to_come = find_stage_kind_hooks(kind).count_games_per_wave
    at_tables = [(one.match, elapsed.get(one.match)) for one in playing]
    return list_games_in_waves(at_tables, to_come(stage.pool) if to_come is not None else [], length=length)


def _list_games_at_tables(desk: PairingDesk, to_play: Iterable[RemainingGame]) -> list[TimedGame]:
    lengths = {game.name: game.length for game in to_play}
    return [
        TimedGame(one.sides, min(one.since, desk.now), length=lengths.get(one.ident, 1.0))
        for one in desk.busy_tables
        if one.ident in lengths
    ]


def _forecast_bracket(event: Event, now: datetime) -> StageForecast | None:
    progress = load_event_stages(event).progress
    if progress is None or progress.is_complete:
        return None
    calls, lengths = load_last_table_calls(event), _load_relative_lengths(event, "", progress.views)
    called = {ident: min(call.at, now) for ident, call in calls.items() if call.table is not None}
    ready = [view for view in progress.ready if view.match.id in called]
    to_play = list_bracket_games(progress, lengths, {ident: _compute_minutes(at, now) for ident, at in called.items()})
    playing = [TimedGame(view.entries, called[view.match.id], length=lengths[view.match.id]) for view in ready]
    tables = len({call.table for call in calls.values()} - {None}) or len(progress.ready)
    games = [*_load_past_games(event), *playing]
    return StageForecast(forecast_known_games(to_play, games, max(1, tables), now=now))


def _compute_minutes(since: datetime, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds() / 60)


# --- Estimates for players who wait for a match or for the next round ------------------------------------------------

EARLIEST_TIME: Final = datetime.min.replace(tzinfo=UTC)
LATEST_TIME: Final = datetime.max.replace(tzinfo=UTC)

PastAndCurrentGames = tuple[tuple[TimedGame, ...], Mapping[str, TimedGame]]
"""The finished games, and the games at tables keyed by match."""


def estimate_next_match_start(event: Event, number: int) -> datetime | None:
    """Estimate when an entrant's next match can begin. Return None if there is no estimate.

    The match may be waiting for an earlier match to end or for a free table.
    """
    progress = load_event_stages(event).progress if event.state == Event.State.IN_PLAY else None
    if progress is None or number not in progress.bracket.entries:
        return None
    now, (over, at_tables) = find_bracket_path(progress, number).current_match, _load_timed_matches(event)
    if now is None or not at_tables or now.match.id in at_tables:
        return None
    if now.state is BracketMatchState.READY:
        return _estimate_free_table(event, [*over, *at_tables.values()], now)
    open_side = next((side for side in now.sides if not side.is_known), None)
    before = at_tables.get(getattr(open_side.source, "match", "")) if open_side is not None else None
    if before is None:
        return None
    own = (game.ended for game in over if number in game.sides and game.ended is not None)
    return estimate_end_of_matches([before], over, max([before.began, *own]))


def _estimate_free_table(event: Event, games: Sequence[TimedGame], view: BracketMatchProgress) -> datetime | None:
    """Estimate when a table will be free for a match that is ready. Return None if there is no estimate.

    The estimate ignores results that were recorded after the match became ready.
    """
    board = load_bracket_board(event)
    since = _find_ready_time(board, view) if board is not None else None
    if board is None or since is None:
        return None
    called, ahead = {frozenset(game.sides): game.began for game in games}, 0
    for other in board.progress.views.values():
        recorded = board.result_recorders.get(other.match.id)
        # If a match was decided without a result, only its current state is known.
        was_over = recorded.at <= since if recorded is not None else other.state is BracketMatchState.DECIDED
        if len(other.entries) == 2 and not was_over:
            called_at = called.get(frozenset(other.entries), LATEST_TIME)
            ahead += (_find_ready_time(board, other) or EARLIEST_TIME) < since < called_at
    return estimate_free_table_time(ahead, games, since)


def _find_ready_time(board: BracketBoard, view: BracketMatchProgress) -> datetime | None:
    """Return the time when this match became ready, which is when the last result that it depended on was recorded.

    Return None if it depended on no recorded result.
    """
    before = (getattr(side.source, "match", "") for side in view.sides)
    return max((board.result_recorders[ident].at for ident in before if ident in board.result_recorders), default=None)


def estimate_last_match_end(event: Event, idents: Iterable[str]) -> datetime | None:
    """Estimate when the last of the matches `idents` ends, or return None if any of them has no table.

    Any result can change the estimate, so use it only on pages that update during play.
    """
    over, at_tables = _load_timed_matches(event)
    games = [at_tables.get(ident) for ident in idents]
    known = [game for game in games if game is not None]
    if not known or len(known) < len(games):
        return None
    ended = (game.ended for game in over if game.ended is not None)
    return estimate_end_of_matches(known, over, max([*(game.began for game in known), *ended]))


def _load_timed_matches(event: Event) -> PastAndCurrentGames:
    return cached(
        event.pk,
        (*PAIRING_AND_RESULT_TOPICS, ENTRANTS_TOPIC),
        "timed matches",
        lambda: _make_timed_matches(load_current_event(event)),
    )


def _make_timed_matches(event: Event) -> PastAndCurrentGames:
    course = load_event_stages(event)
    ready = course.current_stage.ready_matches if course.stages else ()
    calls = {ident: call.at for ident, call in load_last_table_calls(event).items() if call.table and ident in ready}
    if not calls:
        return (), {}
    stage = course.current_stage
    lengths = _load_relative_lengths(event, stage.kind.value if load_event_plan(event).desk_stages else "", calls)
    games = {
        ident: TimedGame(stage.match_states[ident].entries, at, length=lengths[ident]) for ident, at in calls.items()
    }
    return tuple(_load_past_games(event)), games
