"""The format `court-whist`: after each game the winners move, and everybody gets a new partner.

    {"tables": [{"men": [m1, m2], "ladies": [l1, l2], "partners": [[m1, l1], [m2, l2]], "winners": [m1, l1]}, …]}
    -> {"tables": [{"men", "ladies", "partners"}, …]}

The tables are listed clockwise. Winning men go to the table before theirs, winning ladies to the one after it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from pairing.draws.order import read_pair
from pairing.draws.two_sides import Couple, WhistTable, move_winners
from tournament.cases import Fields, Problems, read_all, read_list, read_object
from tournament.errors import BadCase
from tournament.lazy_text import lazy_text

NAME: Final = "court-whist"

PlayedTable = tuple[WhistTable, Couple]


def pair(fields: Fields) -> dict[str, Any]:
    """Return the tables of the next game.

    Raises:
        BadCase: there is no table, a player occurs twice, or partners or winners do not sit at their table. A couple
            must be a man first and a lady second.
    """
    played = fields.read("tables", _read_tables)
    fields.finish()
    if fields.problems or played is None:
        raise BadCase(fields.problems.found)
    tables, winners = zip(*played, strict=True)
    moved = move_winners(tables, winners)
    return {"tables": [{"men": each.men, "ladies": each.ladies, "partners": each.partners} for each in moved]}


def _read_tables(value: object, path: str, problems: Problems) -> list[PlayedTable] | None:
    seats: dict[int, str] = {}
    tables = read_all(value, path, problems, each=partial(_read_table, seats=seats))
    if value == []:
        problems.bad(path, lazy_text("There must be at least one table."))
    return tables


def _read_table(value: object, path: str, problems: Problems, *, seats: dict[int, str]) -> PlayedTable | None:
    data = read_object(value, path, problems)
    if data is None:
        return None
    fields = Fields(data, problems, path)
    men = fields.read("men", read_pair)
    ladies = fields.read("ladies", read_pair)
    partners = fields.read("partners", _read_partners)
    winners = fields.read("winners", read_pair)
    fields.finish()
    sides = {"men": men, "ladies": ladies}
    new_here = [_take_seats(players, fields.at(name), seats, problems) for name, players in sides.items() if players]
    if men is None or ladies is None or not all(new_here):
        return None
    good = partners is not None and _are_partners(partners, men, ladies, fields)
    if winners is None or not _is_couple(winners, men, ladies, fields.at("winners"), problems):
        return None
    return (WhistTable(men, ladies, partners), winners) if good and partners is not None else None


def _take_seats(players: Sequence[int], path: str, seats: dict[int, str], problems: Problems) -> bool:
    """Record the seats of these players. Return whether none of them sits anywhere else already."""
    good = True
    for index, player in enumerate(players):
        if player in seats:
            problems.bad(
                f"{path}[{index}]",
                lazy_text("Player %(player)s sits already at %(seat)s.", player=player, seat=seats[player]),
            )
            good = False
        seats.setdefault(player, f"{path}[{index}]")
    return good


def _read_partners(value: object, path: str, problems: Problems) -> tuple[Couple, Couple] | None:
    found = read_list(value, path, problems)
    if found is None:
        return None
    if len(found) != 2:
        problems.bad(path, lazy_text("At a table there are two partnerships."))
        return None
    first, second = (read_pair(item, f"{path}[{index}]", problems) for index, item in enumerate(found))
    return None if first is None or second is None else (first, second)


def _are_partners(partners: tuple[Couple, Couple], men: Couple, ladies: Couple, fields: Fields) -> bool:
    path = fields.at("partners")
    couples = [
        _is_couple(couple, men, ladies, f"{path}[{index}]", fields.problems) for index, couple in enumerate(partners)
    ]
    if not all(couples):
        return False
    for side in (0, 1):
        if partners[0][side] == partners[1][side]:
            fields.problems.bad(
                f"{path}[1][{side}]", lazy_text("Player %(what)s has a partner already.", what=partners[1][side])
            )
            return False
    return True


def _is_couple(couple: Couple, men: Couple, ladies: Couple, path: str, problems: Problems) -> bool:
    """Return whether the couple is a man of the table, then a lady of the table."""
    good = True
    for side, (players, word) in enumerate(((men, "man"), (ladies, "lady"))):
        if couple[side] not in players:
            problems.bad(
                f"{path}[{side}]",
                lazy_text("Player %(couple)s is no %(word)s at this table.", couple=couple[side], word=word),
            )
            good = False
    return good
