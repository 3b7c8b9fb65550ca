"""The Hollywood sheet: the hands down the left, three games side by side, and the settlement below.

    | Hand | Up card | Outcome | Points || Game 1: A | B || Game 2: A | B || Game 3: A | B |

A hand appears in each game that it entered, with the side's total there. A closed game is crossed out from then on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scoring.rules.book.layout import Cell, Group, LineCells, Mark
from scoring.rules.hand.terms import GinTerms
from scoring.rules.variants.gin.settlement import GinStanding, amount_cell, box_cell, settle, settlement_items
from scoring.rules.variants.gin.two_sided import hand_columns
from scoring.rules.variants.three_games import GAMES, Game, Games
from scoring.rules.variants.variant import Column, LineTally, Row
from tournament.said import worded

PLAIN_COLUMNS: Final = 4
"""The columns before the games: hand, up card, outcome, points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HollywoodLine(LineTally):
    """The points of a hand, the games after it, and the games that it entered (from 0).

    `running` is the sum of the games, for callers that want a single number per side.
    """

    games: Games = field(repr=False)
    entered: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        columns = [dict(game.points) for game in self.games]
        return {"points": dict(self.points), "columns": columns, "event": str(self.event)}


@dataclass(frozen=True, slots=True, kw_only=True)
class HollywoodColumn(Column):
    """A side's column in a game (from 0), with its total after each hand that entered the game."""

    game: int

    def cell(self, row: Row) -> Cell:
        return Cell(
            text=self.text(row), numeric=True, strong=True, mark=Mark.CLOSED if self._is_over(row) else Mark.NONE
        )

    def _is_over(self, row: Row) -> bool:
        """Return whether an earlier hand closed the game. The hand that closed it still entered it."""
        line = _counted(row)
        return not line.games[self.game].is_open and self.game not in line.entered


def sheet_columns(sides: Sequence[str]) -> tuple[Column, ...]:
    games = (_game_column(game, side) for game in range(GAMES) for side in sides)
    return (*hand_columns(), Column(key="points", heading=worded("Points"), text=_points, numeric=True), *games)


def sheet_groups(sides: Sequence[str]) -> tuple[Group, ...]:
    return (Group("", PLAIN_COLUMNS), *(Group(worded("Game %(n)s", n=n + 1), len(sides)) for n in range(GAMES)))


def settle_games(games: Games, terms: GinTerms) -> dict[str, int]:
    """Return the sum of the games, each settled by the hands entered in it. An open game is worth nothing yet."""
    settled = [settle(_standing_of(game), terms) or {} for game in games]
    return {side: sum(game.get(side, 0) for game in settled) for side in games[0].points}


def _standing_of(game: Game) -> GinStanding:
    """Return the game as a sheet of its own, whose boxes are the hands entered in it."""
    return GinStanding(totals=game.points, boxes=game.entries, winner=game.winner, complete=not game.is_open)


@dataclass(frozen=True, slots=True)
class Foot:
    """The builder for the foot of a sheet. `written` means that it is filled in by pencil."""

    games: Games
    terms: GinTerms
    written: bool

    def lines(self) -> tuple[LineCells, ...]:
        """Return the totals and boxes of each game, the settlement of closed games, and the sum once all are closed."""
        totals = self._line(worded("Total"), (self._total(game, side) for game in self.games for side in game.points))
        boxes = (box_cell(count, written=self.written) for game in self.games for count in game.entries.values())
        settlement = (*self._items(), self._settlement()) if self.terms.settles else ()
        return (totals, self._line(worded("Boxes"), boxes), *settlement)

    def _line(self, words: str, cells: Iterable[Cell]) -> LineCells:
        return LineCells((Cell(text=words, span=PLAIN_COLUMNS), *cells))

    def _total(self, game: Game, side: str) -> Cell:
        text = "" if self.written else str(game.points[side])
        mark = Mark.WON if side == game.winner else Mark.NONE
        return Cell(text=text, numeric=True, strong=True, mark=mark, write=self.written)

    def _items(self) -> list[LineCells]:
        standings = [_standing_of(game) for game in self.games]
        items = [settlement_items(standing, self.terms) for standing in standings]
        lines = [self._line(words, self._amounts([item[words] for item in items])) for words in items[0]]
        settled = [
            settle(standing, self.terms) or game.points for standing, game in zip(standings, self.games, strict=True)
        ]
        return [*lines, self._line(worded("Game settled"), self._amounts(settled))]

    def _amounts(self, by_game: Sequence[Mapping[str, int]]) -> Iterable[Cell]:
        """Yield the amount of each side in each game. An open game is still empty."""
        for game, amounts in zip(self.games, by_game, strict=True):
            for amount in amounts.values():
                shown = self.written or not game.is_open
                yield amount_cell(amount, written=self.written) if shown else Cell(numeric=True)

    def _settlement(self) -> LineCells:
        """Return a line with a side under each half of the games, such as “Ann: 585”."""
        paid = settle_games(self.games, self.terms)
        over = not any(game.is_open for game in self.games)
        text = {side: f"{side}: {amount}" if over else side for side, amount in paid.items()}
        return self._line(worded("Settlement"), (Cell(text=text[side], span=GAMES, strong=True) for side in paid))


def _game_column(game: int, side: str) -> HollywoodColumn:
    return HollywoodColumn(
        key="running", heading=side, side=side, numeric=True, game=game, text=lambda row: _entry(row, game, side)
    )


def _entry(row: Row, game: int, side: str) -> str:
    """Return the side's total in a game if this hand was its own and entered the game, else an empty text."""
    line = _counted(row)
    return str(line.games[game].points[side]) if line.points[side] and game in line.entered else ""


def _points(row: Row) -> str:
    return str(max(row.counted.points.values()) or "")


def _counted(row: Row) -> HollywoodLine:
    if not isinstance(row.counted, HollywoodLine):
        raise TypeError("a line of a Hollywood sheet is counted as one")
    return row.counted
