"""The games of a pool as they came about, and which of them a corrected result touches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from pairing.draws.knockout.keeping import LaterChoice
from pairing.draws.results.credits import MatchOutcome
from pairing.draws.stages.pool_corrections import SentGame, TouchedGame, follow_in_pool
from pairing.models import Match, MatchResult
from pairing.selectors.brackets import read_credits
from pairing.selectors.pool_stage import PoolStage
from pairing.selectors.seatings import COUNTING
from pairing.selectors.stage_state import StageState
from pairing.selectors.stages import load_course
from tournament.models import Event


@dataclass(frozen=True, slots=True)
class LaterGames:
    """What a corrected game of a pool touches; `next_stage` is open already: then they all stand."""

    touched: tuple[TouchedGame, ...] = ()
    next_stage: str = ""

    @property
    def idents(self) -> tuple[str, ...]:
        return tuple(found.game.ident for found in self.touched)


def load_later_games(
    event: Event, match: Match, outcome: MatchOutcome | None, choices: Mapping[str, LaterChoice] | None = None
) -> LaterGames:
    """Nothing outside of a pool, and where nothing was paired by the result that is corrected."""
    course = load_course(event)
    found = course.find(match.ident)
    if found is None or not isinstance(found[0], PoolStage):
        return LaterGames()
    games = load_sent_games(event, found[0])
    following = course.stages[found[0].number :]
    chosen = choices if not following else None
    touched = follow_in_pool(games, match.ident, outcome, chosen)
    return LaterGames(touched, following[0].name if following else "")


def load_sent_games(event: Event, stage: StageState) -> list[SentGame]:
    """Every game of a pool with its history; two questions."""
    counting = event.matches.filter(COUNTING, stage=stage.row)
    paired = dict(counting.values_list("ident", "pairing__at"))
    results: dict[str, list[tuple[datetime, MatchOutcome | None]]] = {}
    rows = MatchResult.objects.filter(match__in=counting).order_by("pk")
    for ident, at, winner, credits in rows.values_list("match__ident", "at", "winner__number", "credits"):
        outcome = MatchOutcome(ident, winner, read_credits(credits)) if credits else None
        results.setdefault(ident, []).append((at, outcome))
    games = []
    for ident, played in stage.matches.items():
        sent = paired.get(ident)
        ended = tuple(results.get(ident, ()))
        if not ended and sent is not None and played.meeting.outcome is not None:
            ended = ((sent, played.meeting.outcome),)
        game = SentGame(ident, played.meeting.sides, sent, ended)
        games.append(replace(game, sent=ended[0][0]) if sent is None and game.is_bye else game)
    return games
