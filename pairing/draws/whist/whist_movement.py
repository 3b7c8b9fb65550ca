"""Move the players of Court Whist after a game: each player's table and partner in the next game.

"The winners move to a new table, men move counter-clockwise and ladies move clockwise. If there is a tie … all players
will cut and the highest man and highest lady will move. One of the losers moves … one chair at the table so all
players get new partner each round" (Court Whist, the seed book).

The tables are listed clockwise. The first table is clockwise of the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pairing.draws.order.entries import check_each_once

Couple = tuple[int, int]
"""A man and a lady."""


@dataclass(frozen=True, slots=True)
class WhistTable:
    """Two men and two ladies at a table, and their partnerships.

    Raises:
        ValueError: a partnership names somebody who is not at the table, or a player occurs twice.
    """

    men: tuple[int, int]
    ladies: tuple[int, int]
    partners: tuple[Couple, Couple]

    def __post_init__(self) -> None:
        check_each_once([*self.men, *self.ladies])
        men, ladies = zip(*self.partners, strict=True)
        if sorted(men) != sorted(self.men) or sorted(ladies) != sorted(self.ladies):
            raise ValueError("the partners at a table are its men and its ladies, each once")


def move_winners(tables: Sequence[WhistTable], winners: Sequence[Couple]) -> tuple[WhistTable, ...]:
    """Return the tables of the next game, from the winning man and the winning lady of each table.

    A winner takes the chair of the player who left the table they come to. Losers stay. Everybody gets a partner from
    another table, because those who stayed play with those who came. At a single table the two couples change
    partners. The winners need not be partners: after a tie, or a game without partners, the cut or the points decide.

    >>> first = WhistTable((1, 2), (11, 12), ((1, 11), (2, 12)))
    >>> second = WhistTable((3, 4), (13, 14), ((3, 13), (4, 14)))
    >>> for table in move_winners([first, second], [(1, 11), (4, 14)]):
    ...     print(table.men, table.ladies, table.partners)
    (4, 2) (14, 12) ((4, 12), (2, 14))
    (3, 1) (13, 11) ((3, 11), (1, 13))

    Raises:
        ValueError: a player is at two tables, or the winners do not sit at their table.
    """
    check_each_once([player for table in tables for player in (*table.men, *table.ladies)])
    for table, (man, lady) in zip(tables, winners, strict=True):
        if man not in table.men or lady not in table.ladies:
            raise ValueError("the winners of a table sit at it")
    if len(tables) == 1:
        return (_change_partners(tables[0]),)
    count = len(tables)
    return tuple(
        _seat(table, winners[index], coming=(winners[(index + 1) % count][0], winners[index - 1][1]))
        for index, table in enumerate(tables)
    )


def _change_partners(table: WhistTable) -> WhistTable:
    (first, first_lady), (second, second_lady) = table.partners
    return WhistTable(table.men, table.ladies, ((first, second_lady), (second, first_lady)))


def _seat(table: WhistTable, leaving: Couple, *, coming: Couple) -> WhistTable:
    man, lady = coming
    first, second = (man if player == leaving[0] else player for player in table.men)
    upper, lower = (lady if player == leaving[1] else player for player in table.ladies)
    staying_lady = lower if upper == lady else upper
    with_first = staying_lady if first == man else lady
    with_second = lady if first == man else staying_lady
    return WhistTable((first, second), (upper, lower), ((first, with_first), (second, with_second)))
