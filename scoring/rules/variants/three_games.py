"""Three games played at the same time on one sheet.

A side's first score counts in game 1, its second in games 1 and 2, and later ones in all three. A closed game accepts
no more scores and is skipped.

Sources: CONTRACTS.md, tally, `hollywood`; Metzker Book of Card Game Rules 2026, Gin Rummy tournament, “Awarding
Points”.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

SIMULTANEOUS_GAME_COUNT: Final = 3


@dataclass(frozen=True, slots=True)
class SimultaneousGame:
    """One of the three games, with each side's points and number of scores. `winner` is None while the game is open."""

    points: Mapping[str, int]
    entries: Mapping[str, int]
    winner: str | None = None

    @property
    def is_open(self) -> bool:
        return self.winner is None


SimultaneousGames = tuple[SimultaneousGame, ...]


def start_games(sides: Sequence[str]) -> SimultaneousGames:
    none = dict.fromkeys(sides, 0)
    return (SimultaneousGame(none, none),) * SIMULTANEOUS_GAME_COUNT


def find_open_games_with_score(games: SimultaneousGames, side: str) -> tuple[int, ...]:
    """Return the indexes of the open games in which the side already has a score."""
    return tuple(i for i, game in enumerate(games) if game.is_open and game.entries[side])


def find_games_for_next_score(games: SimultaneousGames, side: str) -> tuple[int, ...]:
    """Return the indexes of the games in which the side's next score counts.

    These are the open games in which the side already has a score, and the first open game in which it has none.

    >>> games = start_games("AB")
    >>> for points in (30, 70, 60):
    ...     print(find_games_for_next_score(games, "A"))
    ...     games = enter_score(games, "A", points, target=150)
    (0,)
    (0, 1)
    (0, 1, 2)
    >>> [(game.points["A"], game.winner) for game in games], find_games_for_next_score(games, "B")
    ([(160, 'A'), (130, None), (60, None)], (1,))
    """
    first_score = next((i for i, game in enumerate(games) if game.is_open and not game.entries[side]), None)
    return find_open_games_with_score(games, side) + (() if first_score is None else (first_score,))


def enter_score(games: SimultaneousGames, side: str, points: int, *, target: int) -> SimultaneousGames:
    """Return the three games after a side scores. A side that reaches `target` points in a game wins it.

    The score counts in the games that `find_games_for_next_score` returns. A score of zero changes nothing.
    """
    taking = find_games_for_next_score(games, side) if points else ()
    return tuple(_enter_points(game, side, points, target) if i in taking else game for i, game in enumerate(games))


def _enter_points(game: SimultaneousGame, side: str, points: int, target: int) -> SimultaneousGame:
    total = game.points[side] + points
    return replace(
        game,
        points={**game.points, side: total},
        entries={**game.entries, side: game.entries[side] + 1},
        winner=side if total >= target else None,
    )


def sum_open_game_points(games: SimultaneousGames) -> dict[str, int]:
    """Return each side's total points in the games that are still open.

    >>> open_game = SimultaneousGame({"G": 40, "L": 15}, {"G": 1, "L": 1})
    >>> sum_open_game_points((open_game, SimultaneousGame({"G": 9, "L": 0}, {"G": 1, "L": 0}, "G")))
    {'G': 40, 'L': 15}
    """
    sums: dict[str, int] = {}
    for game in games:
        for side, points in game.points.items():
            sums[side] = sums.get(side, 0) + (points if game.is_open else 0)
    return sums


def are_all_games_closed(games: SimultaneousGames) -> bool:
    return not any(game.is_open for game in games)
