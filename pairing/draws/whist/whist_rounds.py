"""The games of Court Whist: the seats and partners of each game, and the players who sit out.

    sides ──first_game──► game 1 ──winners──► next_game ──► game 2 …

"After each set of 4 hands, the winners move to a new table, men move counter-clockwise and ladies move clockwise … so
all players get new partner each round" (Court Whist, the seed book). If the number of players is not a multiple of
four, up to three sit out each game, in turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pairing.draws.rotation.turning import TwoSides, whist_tables
from pairing.draws.whist.whist_movement import Couple, WhistTable, move_winners

GAMES: Final = 7
"""The number of games on the card."""

_Chairs = list[list[int | None]]
"""The man and the lady of each partnership, table by table. None is an empty chair."""


@dataclass(frozen=True, slots=True)
class WhistTables:
    """The tables, clockwise, and the players who sit out this game."""

    tables: tuple[WhistTable, ...]
    sits_out: tuple[int, ...] = ()

    def partners(self) -> dict[int, int]:
        couples = [couple for table in self.tables for couple in table.partners]
        return dict(couples) | {lady: man for man, lady in couples}


def first_game(sides: TwoSides) -> WhistTables:
    """Return the first game. The first drawn of each side sit at the first table, and the last drawn sit out.

    >>> game = first_game(TwoSides((1, 2, 3), (11, 12, 13)))
    >>> game.tables[0].partners, game.sits_out
    (((1, 11), (2, 12)), (3, 13))

    Raises:
        ValueError: there are too few players for a table.
    """
    count = _tables_for(sides)
    men, ladies = (_playing(side, 2 * count, {}) for side in (sides.left, sides.right))
    couples = list(zip(men, ladies, strict=True))
    return WhistTables(tuple(_table(couples[i : i + 2]) for i in range(0, len(couples), 2)), _rest(sides, couples))


def next_game(
    before: WhistTables, winners: Sequence[Couple], sides: TwoSides, sat_out: Mapping[int, int]
) -> WhistTables:
    """Return the game after `before`, once the winning man and lady of each table have moved.

    `sides` holds the players who play on, in the drawn order. `sat_out` maps players to the number of games they have
    sat out, including the last one. Players who come back take the chairs of players who sit out now or have left. If
    there are too few players, the tables with the most empty chairs are given up. If there are enough for another
    table, it is added behind the last one.

    Raises:
        ValueError: there are too few players for a table, or the winners do not sit at their tables.
    """
    count = _tables_for(sides)
    playing = [_playing(side, 2 * count, sat_out) for side in (sides.left, sides.right)]
    stays = {player for side in playing for player in side}
    moved = move_winners(before.tables, winners)
    chairs: list[_Chairs] = [
        [[player if player in stays else None for player in couple] for couple in table.partners] for table in moved
    ]
    chairs = _give_up(chairs, count)
    chairs += [[[None, None], [None, None]] for _ in range(count - len(chairs))]
    places = [couple for table in chairs for couple in table]
    for side, players in enumerate(playing):
        _fill(places, side, players, before.partners())
    couples = [(int(man or 0), int(lady or 0)) for man, lady in places]
    return WhistTables(tuple(_table(couples[i : i + 2]) for i in range(0, len(couples), 2)), _rest(sides, couples))


def _tables_for(sides: TwoSides) -> int:
    count = whist_tables(len(sides.left), len(sides.right))
    if not count:
        raise ValueError("a table of Court Whist has two men and two ladies")
    return count


def _playing(side: Sequence[int], chairs: int, sat_out: Mapping[int, int]) -> list[int]:
    """Return the players of a side who play. Those who have sat out least often sit out first.

    Among equals, the last drawn sits out first.
    """
    turn = sorted(side, key=lambda player: (sat_out.get(player, 0), -side.index(player)))
    resting = set(turn[: len(side) - chairs])
    return [player for player in side if player not in resting]


def _give_up(chairs: list[_Chairs], count: int) -> list[_Chairs]:
    """Keep only `count` tables and drop those with the most empty chairs. Their players take chairs elsewhere."""
    empty = [sum(player is None for couple in table for player in couple) for table in chairs]
    gone = sorted(range(len(chairs)), key=lambda i: (-empty[i], -i))[: len(chairs) - count]
    return [table for i, table in enumerate(chairs) if i not in gone]


def _fill(places: _Chairs, side: int, players: Sequence[int], last: Mapping[int, int]) -> None:
    """Give each player without a chair an empty one, if possible beside another partner than in the last game."""
    empty = [couple for couple in places if couple[side] is None]
    seated = {couple[side] for couple in places}
    coming = [player for player in players if player not in seated]
    partners = [couple[1 - side] for couple in empty]
    for player, couple in zip(_ordered(coming, partners, last) or coming, empty, strict=True):
        couple[side] = player


def _ordered(coming: list[int], partners: list[int | None], last: Mapping[int, int]) -> list[int] | None:
    """Return the first order in which nobody comes beside their last partner, or None if there is none."""
    if not coming:
        return []
    for player in coming:
        if partners[0] is None or last.get(player) != partners[0]:
            others = _ordered([one for one in coming if one != player], partners[1:], last)
            if others is not None:
                return [player, *others]
    return None


def _table(couples: Sequence[Couple]) -> WhistTable:
    one, other = couples
    return WhistTable((one[0], other[0]), (one[1], other[1]), (one, other))


def _rest(sides: TwoSides, couples: Sequence[Couple]) -> tuple[int, ...]:
    seated = {player for couple in couples for player in couple}
    return tuple(player for player in (*sides.left, *sides.right) if player not in seated)
