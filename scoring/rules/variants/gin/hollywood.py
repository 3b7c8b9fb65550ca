"""Hollywood gin: three games at once from the same hands, each settled separately.

The side that wins two games wins.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from scoring.rules.book.layout import Block
from scoring.rules.book.options import Option, preset
from scoring.rules.book.rulebook import Rulebook
from scoring.rules.hand.hands import Hand, judge
from scoring.rules.hand.terms import GIN_OPTIONS, SHUTOUT_DOUBLES
from scoring.rules.variants.gin.hollywood_sheet import Foot, HollywoodLine, settle_games, sheet_columns, sheet_groups
from scoring.rules.variants.gin.two_sided import GinHands
from scoring.rules.variants.three_games import Games, all_closed, enter_score, fresh_games, games_entered
from scoring.rules.variants.variant import Column, LineTally, Row, SheetStanding, Tally
from tournament.said import joined, listed, worded, worded_plural


@dataclass(frozen=True, slots=True)
class HollywoodStanding(SheetStanding):
    """The standing of the sheet, where `totals` are the sums of the games."""

    games: Games = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HollywoodTally(Tally):
    games: Games

    def as_json(self) -> dict[str, Any]:
        return Tally.as_json(self) | {"games": [{**game.points, "winner": game.winner} for game in self.games]}


class Hollywood(GinHands[HollywoodStanding]):
    name = "hollywood"
    title = worded("Hollywood gin")
    about = worded("Two players, three games at once from the same hands; who takes more of the games wins.")
    rulebook = Rulebook(
        worded("Hollywood gin"),
        summary=(
            worded("Three games are played at once from the same hands."),
            worded(
                "A side's first score goes to game 1, its second to games 1 and 2, its third and every later "
                "one to all three."
            ),
            worded(
                "A game closes when a side reaches the target in it. It takes no more scores and is skipped: "
                "a side without a score in game 1 then makes its first entry in game 2."
            ),
            worded("Play goes on until all three games are closed. The side that won more of them wins."),
            worded(
                "Each game is settled by itself: points, boxes entered in it, game bonus, shutout. The "
                "settlement is the sum of the three."
            ),
            worded(
                "A knock wins with strictly fewer points, and scores the difference; otherwise it is an "
                "undercut. Gin scores the opponent's unmatched points and the bonus."
            ),
        ),
    )
    options: ClassVar[tuple[Option, ...]] = preset(
        GIN_OPTIONS, {}, box_bonus=25, game_bonus=100, shutout=SHUTOUT_DOUBLES
    )

    def start(self) -> HollywoodStanding:
        return HollywoodStanding(totals=dict.fromkeys(self.sides, 0), games=fresh_games(self.sides))

    def count(self, standing: HollywoodStanding, line: Hand) -> tuple[HollywoodStanding, HollywoodLine]:
        verdict = judge(line, self.terms, self.rulebook)
        scorer, before = verdict.to, standing.games
        entered = games_entered(before, scorer) if scorer else ()
        games = enter_score(before, scorer, verdict.points, target=self.terms.target) if scorer else before
        totals = {side: sum(game.points[side] for game in games) for side in self.sides}
        complete = all_closed(games)
        counted = HollywoodLine(
            points={side: verdict.points if side == scorer else 0 for side in self.sides},
            running=totals,
            event=verdict.event,
            explanation=_in_words(verdict.explanation, games, entered),
            games=games,
            entered=entered,
        )
        winner = _taker_of_most(games) if complete else None
        return replace(standing, totals=totals, games=games, complete=complete, winner=winner), counted

    def close(self, standing: HollywoodStanding, rows: Sequence[LineTally]) -> HollywoodTally:
        return HollywoodTally(
            complete=standing.complete,
            winner=standing.winner,
            totals=standing.totals,
            lines=tuple(rows),
            settlement=settle_games(standing.games, self.terms) if standing.complete and self.terms.settles else None,
            games=standing.games,
        )

    def leaders(self, counted: Tally) -> tuple[str, ...]:
        """Return the sides that are ahead: by closed games, then by the points of all three."""
        games = counted.games if isinstance(counted, HollywoodTally) else ()
        closed = Counter({side: sum(game.winner == side for game in games) for side in self.sides})
        most = max(closed.values())
        ahead = tuple(side for side in self.sides if closed[side] == most)
        return ahead if len(ahead) == 1 else super().leaders(counted)

    def columns(self) -> tuple[Column, ...]:
        return sheet_columns(self.sides)

    def blocks(self, rows: Sequence[Row], counted: Tally | None = None, *, blank: int = 0) -> tuple[Block, ...]:
        (block,) = super().blocks(rows, counted, blank=blank)
        games = counted.games if isinstance(counted, HollywoodTally) else fresh_games(self.sides)
        foot = Foot(games, self.terms, written=counted is None)
        return (replace(block, groups=sheet_groups(self.sides), foot=foot.lines()),)


def _taker_of_most(games: Games) -> str | None:
    """Return the side that won more of the three closed games."""
    (most,) = Counter(game.winner for game in games).most_common(1)
    return most[0]


def _in_words(working: str, games: Games, entered: Sequence[int]) -> str:
    """Describe a hand and its games, such as “gin: 25 to Ann, in games 1 and 2; game 1 is won with 152”.

    `games` are those after the hand.
    """
    if not entered:
        return working
    where = worded_plural(
        "%(working)s, in game %(games)s",
        "%(working)s, in games %(games)s",
        len(entered),
        working=working,
        games=listed([str(game + 1) for game in entered]),
    )
    closed = [
        worded("game %(game)s is won with %(points)s", game=game + 1, points=games[game].points[winner])
        for game in entered
        if (winner := games[game].winner)
    ]
    return joined("; ", [where, *closed])
