"""Hollywood gin: each hand counts in up to three games at the same time, and each game is settled separately.

When all three games are over, the side that won at least two of them is the overall winner.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from scoring.rules.book.layout import Cell, CellMark, HeadingGroup, LineCells, SheetBlock
from scoring.rules.book.options import Option, Rulebook, adapt_options_to_variant
from scoring.rules.hand.hands import GIN_OPTIONS, SHUTOUT_DOUBLES_TOTAL, Hand, score_hand
from scoring.rules.variants.gin.two_sided import GinStanding, OneHandPerLineGin, make_amount_cell, make_box_cell
from scoring.rules.variants.three_games import (
    SIMULTANEOUS_GAME_COUNT,
    SimultaneousGame,
    SimultaneousGames,
    are_all_games_closed,
    enter_score,
    find_games_for_next_score,
    start_games,
    sum_open_game_points,
)
from scoring.rules.variants.variant import LineTally, SheetColumn, SheetRow, SheetStanding, Tally
from tournament.lazy_text import join_texts, join_with_and, lazy_plural, lazy_text

_PLAIN_COLUMNS: Final = 4
"""The number of columns before the games: hand, up card, outcome, points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _HollywoodLine(LineTally):
    """The score of a hand, and the standing of the three games after the hand.

    `entered` contains the indexes of the games in which the hand counted. `running` is each side's sum over the three
    games.
    """

    games: SimultaneousGames = field(repr=False)
    entered: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        columns = [dict(game.points) for game in self.games]
        return {"points": dict(self.points), "columns": columns, "event": str(self.event)}


@dataclass(frozen=True, slots=True)
class _HollywoodStanding(SheetStanding):
    """The standing of the three games. `totals` contains each side's sum over the three games."""

    games: SimultaneousGames = ()


class HollywoodGin(OneHandPerLineGin[_HollywoodStanding]):
    name = "hollywood"
    title = lazy_text("Hollywood gin")
    about = lazy_text("Two players, three games at once from the same hands; who takes more of the games wins.")
    rulebook = Rulebook(
        lazy_text("Hollywood gin"),
        summary=(
            lazy_text("Three games are played at once from the same hands."),
            lazy_text(
                "A side's first score goes to game 1, its second to games 1 and 2, its third and every later "
                "one to all three."
            ),
            lazy_text(
                "A game closes when a side reaches the target in it. It takes no more scores and is skipped: "
                "a side without a score in game 1 then makes its first entry in game 2."
            ),
            lazy_text("Play goes on until all three games are closed. The side that won more of them wins."),
            lazy_text(
                "Each game is settled by itself: points, boxes entered in it, game bonus, shutout. The "
                "settlement is the sum of the three."
            ),
            lazy_text(
                "A knock wins with strictly fewer points, and scores the difference; otherwise it is an "
                "undercut. Gin scores the opponent's unmatched points and the bonus."
            ),
        ),
    )
    options: ClassVar[tuple[Option, ...]] = adapt_options_to_variant(
        GIN_OPTIONS, {}, box_bonus=25, game_bonus=100, shutout=SHUTOUT_DOUBLES_TOTAL
    )

    def make_initial_standing(self) -> _HollywoodStanding:
        return _HollywoodStanding(totals=dict.fromkeys(self.sides, 0), games=start_games(self.sides))

    def score_line(self, standing: _HollywoodStanding, line: Hand) -> tuple[_HollywoodStanding, _HollywoodLine]:
        verdict = score_hand(line, self.terms, self.rulebook)
        scorer, before = verdict.to, standing.games
        entered = find_games_for_next_score(before, scorer) if scorer else ()
        games = enter_score(before, scorer, verdict.points, target=self.terms.target) if scorer else before
        totals = {side: sum(game.points[side] for game in games) for side in self.sides}
        complete = are_all_games_closed(games)
        counted = _HollywoodLine(
            points={side: verdict.points if side == scorer else 0 for side in self.sides},
            running=totals,
            event=verdict.event,
            explanation=_explain_games(verdict.explanation, games, entered),
            games=games,
            entered=entered,
        )
        winner = Counter(game.winner for game in games).most_common(1)[0][0] if complete else None
        return replace(standing, totals=totals, games=games, complete=complete, winner=winner), counted

    def make_tally(self, standing: _HollywoodStanding, rows: Sequence[LineTally]) -> Tally:
        return replace(
            super().make_tally(standing, rows),
            settlement=self._settle_games(standing.games) if standing.complete and self.terms.has_settlement else None,
            variant_fields={"games": [{**game.points, "winner": game.winner} for game in standing.games]},
            open_points=sum_open_game_points(standing.games),
        )

    def find_leaders(self, counted: Tally) -> tuple[str, ...]:
        """Return the sides that are ahead: by games won, then by points in all three games."""
        games = _get_hollywood_line(counted.lines[-1]).games if counted.lines else ()
        closed = {side: sum(game.winner == side for game in games) for side in self.sides}
        most = max(closed.values())
        ahead = tuple(side for side in self.sides if closed[side] == most)
        return ahead if len(ahead) == 1 else super().find_leaders(counted)

    def columns(self) -> tuple[SheetColumn, ...]:
        games = (_make_game_column(game, side) for game in range(SIMULTANEOUS_GAME_COUNT) for side in self.sides)
        points = SheetColumn(
            key="points",
            heading=lazy_text("Points"),
            text=lambda row: str(max(row.line_tally.points.values()) or ""),
            numeric=True,
        )
        return (*self.list_hand_columns(), points, *games)

    def blocks(
        self, rows: Sequence[SheetRow], counted: Tally | None = None, *, blank: int = 0
    ) -> tuple[SheetBlock, ...]:
        (block,) = super().blocks(rows, counted, blank=blank)
        games = _get_hollywood_line(rows[-1].line_tally).games if rows else start_games(self.sides)
        headings = (
            HeadingGroup(lazy_text("Game %(n)s", n=n + 1), len(self.sides)) for n in range(SIMULTANEOUS_GAME_COUNT)
        )
        foot = self._lay_out_foot(games, written=counted is None)
        return (replace(block, groups=(HeadingGroup("", _PLAIN_COLUMNS), *headings), footer=foot),)

    def _settle_games(self, games: SimultaneousGames) -> dict[str, int]:
        """Return the sum of the games' settlements.

        An open game is worth nothing yet.
        """
        settled = [self.compute_settlement(_make_game_standing(game)) or {} for game in games]
        return {side: sum(game.get(side, 0) for game in settled) for side in games[0].points}

    def _lay_out_foot(self, games: SimultaneousGames, *, written: bool) -> tuple[LineCells, ...]:
        """Return the footer lines: each game's totals and boxes (hands won), and the settlement if there is one.

        If `written` is True, the footer has empty cells to fill in by hand.
        """

        def line(words: str, cells: Iterable[Cell]) -> LineCells:
            return LineCells((Cell(text=words, span=_PLAIN_COLUMNS), *cells))

        def amounts(by_game: Sequence[Mapping[str, int]]) -> Iterable[Cell]:
            for game, of_sides in zip(games, by_game, strict=True):
                for amount in of_sides.values():
                    shown = written or not game.is_open
                    yield make_amount_cell(amount, written=written) if shown else Cell(numeric=True)

        totals = (
            Cell(
                text="" if written else str(game.points[side]),
                numeric=True,
                strong=True,
                mark=CellMark.WON if side == game.winner else CellMark.NONE,
                write=written,
            )
            for game in games
            for side in game.points
        )
        boxes = (make_box_cell(count, written=written) for game in games for count in game.entries.values())
        lines = [line(lazy_text("Total"), totals), line(lazy_text("Boxes"), boxes)]
        if not self.terms.has_settlement:
            return tuple(lines)
        standings = [_make_game_standing(game) for game in games]
        items = [self.list_settlement_items(standing) for standing in standings]
        lines += [line(words, amounts([item[words] for item in items])) for words in items[0]]
        settled = [
            self.compute_settlement(standing) or game.points for standing, game in zip(standings, games, strict=True)
        ]
        lines.append(line(lazy_text("Game settled"), amounts(settled)))
        # The last line has a side under each half of the games, such as “Ann: 585”.
        paid, over = self._settle_games(games), are_all_games_closed(games)
        text = {side: f"{side}: {amount}" if over else side for side, amount in paid.items()}
        lines.append(
            line(
                lazy_text("Settlement"),
                (Cell(text=text[side], span=SIMULTANEOUS_GAME_COUNT, strong=True) for side in paid),
            )
        )
        return tuple(lines)


def _make_game_standing(game: SimultaneousGame) -> GinStanding:
    """Return the standing of one game. A side's boxes are the hands with which it scored in this game."""
    return GinStanding(totals=game.points, boxes=game.entries, winner=game.winner, complete=not game.is_open)


def _explain_games(working: str, games: SimultaneousGames, entered: Sequence[int]) -> str:
    """Return text such as “gin: 25 to Ann, in games 1 and 2; game 1 is won with 152”.

    `games` contains the standing of each game after the hand.
    """
    if not entered:
        return working
    where = lazy_plural(
        "%(working)s, in game %(games)s",
        "%(working)s, in games %(games)s",
        len(entered),
        working=working,
        games=join_with_and([str(game + 1) for game in entered]),
    )
    closed = [
        lazy_text("game %(game)s is won with %(points)s", game=game + 1, points=games[game].points[winner])
        for game in entered
        if (winner := games[game].winner)
    ]
    return join_texts("; ", [where, *closed])


def _make_game_column(game: int, side: str) -> SheetColumn:
    """Return a side's column in the game with index `game`.

    The column shows the side's total after each hand with which it scored in this game.
    """

    def text(row: SheetRow) -> str:
        line = _get_hollywood_line(row.line_tally)
        return str(line.games[game].points[side]) if line.points[side] and game in line.entered else ""

    def mark(row: SheetRow) -> CellMark:
        line = _get_hollywood_line(row.line_tally)
        return CellMark.CLOSED if not line.games[game].is_open and game not in line.entered else CellMark.NONE

    return SheetColumn(key="running", heading=side, side=side, numeric=True, text=text, mark=mark)


def _get_hollywood_line(counted: LineTally) -> _HollywoodLine:
    if not isinstance(counted, _HollywoodLine):
        raise TypeError("a line of a Hollywood sheet is counted as one")
    return counted
