"""A round of the couples tournament: the earnings of each result, and the games that take the net of a round.

Source: Metzker Book of Card Game Rules 2026, “Gin Rummy – Tournament Rules”, “Ending a Round” and “Scoring”;
CONTRACTS.md, tally, `metzker`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from scoring.rules.variants.three_games import Game, Games, games_entered, games_scored_in
from tournament.said import worded

MOST_RUN: Final = 9
"""The most unmatched points for a run: “less than 10”."""
UNDERCUT_BONUS: Final = 25
GAME_AWARD: Final = 200
"""The award to the winner of a game, for any target (CONTRACTS.md, metzker, “Final”)."""
GIN_AWARD: Final = 25
"""The award for each gin in a game, for both its winner and its loser."""


class CouplesOutcome(StrEnum):
    GIN = "gin"
    DOUBLE_GIN = "double-gin"
    RUN = "run"
    STOCK = "stock"


GINS: Final[Mapping[CouplesOutcome, int]] = {CouplesOutcome.GIN: 1, CouplesOutcome.DOUBLE_GIN: 2}
OUTCOME_WORDS: Final[Mapping[CouplesOutcome, str]] = {
    CouplesOutcome.GIN: worded("gin"),
    CouplesOutcome.DOUBLE_GIN: worded("double gin"),
    CouplesOutcome.RUN: worded("run"),
    CouplesOutcome.STOCK: worded("stock ran out"),
}
OUTCOME_VERBS: Final[Mapping[CouplesOutcome, str]] = {
    CouplesOutcome.GIN: worded("went gin"),
    CouplesOutcome.DOUBLE_GIN: worded("went double gin"),
    CouplesOutcome.RUN: "ran",
}
"""The verb for the side that went out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoupleReport:
    """The report of a couple: who went out (`by` None: the stock ran out), and the count of each."""

    outcome: CouplesOutcome
    counts: Mapping[str, int]
    by: str | None = None


Round = tuple[CoupleReport, ...]


@dataclass(frozen=True, slots=True)
class Earned:
    """The earnings of a result: `points` and `gins` for the team `to` (None: for neither).

    `report` is the result in the couple's words. `working` is the calculation in words.
    """

    to: str | None
    points: int
    gins: int
    report: str
    working: str

    @property
    def words(self) -> str:
        return f"{self.report}: {self.working}"


@dataclass(frozen=True, slots=True)
class GameAward:
    """The net points or gins of a round, and the games (from 0) that take them. `to` is None if the teams are level."""

    to: str | None = None
    amount: int = 0
    games: tuple[int, ...] = ()


Gins = tuple[Mapping[str, int], ...]
"""The gins of each team, game by game."""


def earn(result: CoupleReport) -> Earned:
    """Return the earnings of a result.

    >>> earn(CoupleReport(outcome=CouplesOutcome.RUN, by="Guys", counts={"Guys": 6, "Girls": 4})).words
    'Guys ran with 6 against 4: twice 6 and 25, 37 to Girls'
    """
    if result.by is None:
        return _earn_by_stock(result.counts)
    by, own = result.by, result.counts[result.by]
    against = next(side for side in result.counts if side != by)
    other = result.counts[against]
    gins = GINS.get(result.outcome, 0)
    if gins:
        report = worded(
            "%(by)s %(outcome_words)s, %(other)s unmatched",
            by=by,
            outcome_words=OUTCOME_WORDS[result.outcome],
            other=other,
        )
        return Earned(
            by,
            other,
            gins,
            report,
            worded("%(other)s and 1 gin to %(by)s", other=other, by=by)
            if gins == 1
            else worded("%(other)s and %(gins)s gins to %(by)s", other=other, gins=gins, by=by),
        )
    report = worded("%(by)s ran with %(own)s against %(other)s", by=by, own=own, other=other)
    if own < other:
        return Earned(by, other - own, 0, report, _to(other - own, by))
    points = 2 * own + UNDERCUT_BONUS
    return Earned(against, points, 0, report, _twice(own, points, against))


def _to(points: int, side: str) -> str:
    return worded("%(points)s to %(side)s", points=points, side=side)


def _twice(own: int, points: int, side: str) -> str:
    return worded(
        "twice %(own)s and %(bonus)s, %(points)s to %(side)s", own=own, bonus=UNDERCUT_BONUS, points=points, side=side
    )


def _earn_by_stock(counts: Mapping[str, int]) -> Earned:
    """Return the earnings when the stock ran out: the player with fewer points gets the difference."""
    low, high = sorted(counts, key=lambda side: counts[side])
    points = counts[high] - counts[low]
    report = worded(
        "the stock ran out, %(low)s %(count)s, %(high)s %(count_2)s",
        low=low,
        count=counts[low],
        high=high,
        count_2=counts[high],
    )
    return Earned(low, points, 0, report, _to(points, low)) if points else Earned(None, 0, 0, report, worded("nothing"))


def sums_of(earned: Iterable[Earned], sides: Sequence[str]) -> tuple[dict[str, int], dict[str, int]]:
    points, gins = dict.fromkeys(sides, 0), dict.fromkeys(sides, 0)
    for each in earned:
        if each.to is not None:
            points[each.to] += each.points
            gins[each.to] += each.gins
    return points, gins


def award_points(points: Mapping[str, int], games: Games) -> GameAward:
    """Return the net points, and the games that take them. `games` are those before the round."""
    to, amount = _net(points)
    return GameAward(to, amount, games_entered(games, to)) if to else GameAward()


def award_gins(gins: Mapping[str, int], games: Games) -> GameAward:
    """Return the net gins, and the games that take them: open before the round, with points of that team."""
    to, amount = _net(gins)
    return GameAward(to, amount, games_scored_in(games, to)) if to else GameAward()


def _net(sums: Mapping[str, int]) -> tuple[str | None, int]:
    """Return the team with more, and the difference."""
    low, high = sorted(sums, key=lambda side: sums[side])
    more = sums[high] - sums[low]
    return (high if more else None), more


def with_gins(gins: Gins, award: GameAward) -> Gins:
    to = award.to
    if to is None:
        return gins
    return tuple({**game, to: game[to] + award.amount} if i in award.games else game for i, game in enumerate(gins))


def award_of(game: Game, gins: Mapping[str, int], side: str) -> int:
    """Return the final worth of a closed game to a team. An open game is worth nothing yet."""
    if game.is_open:
        return 0
    return GIN_AWARD * gins[side] + (GAME_AWARD if side == game.winner else 0)
