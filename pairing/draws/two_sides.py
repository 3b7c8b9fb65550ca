"""The two sides in couples rotation and Court Whist, and the games of Court Whist.

"Guys on one side of the table, girls on the other side. Girls rotate one spot after every round so that all the girls
get to play all the guys" (“Gin Rummy – Tournament Rules” in the rule book). In Court Whist, "each set of partners will
include one lady and one man".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pairing.draws.order import require_unique_entries
from tournament.lazy_text import join_texts, lazy_plural, lazy_text

MAX_SIDE_NAME_LENGTH: Final = 40
LEFT_SIDE: Final = "left"
RIGHT_SIDE: Final = "right"
MAX_PLAYERS_SITTING_OUT: Final = 3
"""The maximum number of players who sit out a game of Court Whist. Four players would make another table."""

SideNames = tuple[str, str]
"""The names of the left side, which keeps its seats in a rotation, and of the right side."""


@dataclass(frozen=True, slots=True)
class TwoSides:
    """The entry numbers of both sides, each in drawn order."""

    left: tuple[int, ...]
    right: tuple[int, ...]


def split_order_by_side(order: Sequence[int], sides: Mapping[int, str]) -> TwoSides:
    """Split the drawn order into the two sides. Entries without a side are left out.

    >>> split_order_by_side([4, 1, 3, 2], {1: "left", 2: "right", 3: "right", 4: "left"})
    TwoSides(left=(4, 1), right=(3, 2))
    """
    return TwoSides(
        tuple(number for number in order if sides.get(number) == LEFT_SIDE),
        tuple(number for number in order if sides.get(number) == RIGHT_SIDE),
    )


def explain_why_no_rotation(left: int, right: int, names: SideNames) -> str:
    """Explain why sides of these sizes can't rotate and what to do about it. Return an empty string if they can.

    >>> explain_why_no_rotation(4, 4, ("Guys", "Girls"))
    ''
    >>> explain_why_no_rotation(4, 5, ("Guys", "Girls"))
    '4 Guys and 5 Girls: 1 of the Girls is too many. Leave 1 of the Girls out, or enter 1 more of the Guys.'
    >>> explain_why_no_rotation(6, 4, ("Guys", "Girls"))
    '6 Guys and 4 Girls: 2 of the Guys are too many. Move 1 of the Guys to the other side, or leave 2 out.'
    """
    counted = _format_side_counts(left, right, names)
    if min(left, right) == 0:
        return lazy_text("%(counted)s: both sides need somebody to play against.", counted=counted)
    more = abs(left - right)
    if not more:
        return ""
    many, few = names if left > right else names[::-1]
    too_many = lazy_plural(
        "%(counted)s: %(number)s of the %(many)s is too many.",
        "%(counted)s: %(number)s of the %(many)s are too many.",
        more,
        counted=counted,
        many=many,
    )
    if more % 2:
        way = lazy_text(
            "Leave %(more)s of the %(many)s out, or enter %(more)s more of the %(few)s.", more=more, many=many, few=few
        )
    else:
        way = lazy_text(
            "Move %(moved)s of the %(many)s to the other side, or leave %(more)s out.",
            moved=more // 2,
            many=many,
            more=more,
        )
    return join_texts(" ", [too_many, way])


def _format_side_counts(left: int, right: int, names: SideNames) -> str:
    return lazy_text("%(left)s %(one)s and %(right)s %(other)s", left=left, one=names[0], right=right, other=names[1])


def make_rotation_round(left: Sequence[int], right: Sequence[int], *, turn: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of round `turn`. Rounds count from 1. The right side moves up by one seat each round.

    The left side keeps its seats. Pairs are `(left, right)`, in the left side's order. After as many rounds as a side
    has members, everybody has met everybody on the other side, and the rotation starts over.

    >>> make_rotation_round([1, 2, 3], [7, 8, 9], turn=2)
    ((1, 8), (2, 9), (3, 7))

    Raises:
        ValueError: an entry occurs twice, the sides have different sizes, or the round is before the first.
    """
    require_unique_entries([*left, *right])
    if len(left) != len(right) or turn < 1:
        raise ValueError("a rotation has two sides of one size, and rounds from 1")
    size = len(left)
    return tuple((entry, right[(seat + turn - 1) % size]) for seat, entry in enumerate(left))


def _compute_whist_table_count(left: int, right: int) -> int:
    return min(left // 2, right // 2)


def explain_why_no_whist(left: int, right: int, names: SideNames) -> str:
    """Explain why sides of these sizes can't play Court Whist and what to do about it.

    Return an empty string if they can.

    Up to three players sit out each game.

    >>> explain_why_no_whist(5, 5, ("Gentlemen", "Ladies"))
    ''
    >>> explain_why_no_whist(7, 3, ("Gentlemen", "Ladies"))
    '7 Gentlemen and 3 Ladies make 1 table, and 6 would sit out each game; at most 3 can. Move some of the \
Gentlemen to the other side, or leave them out.'
    """
    tables = _compute_whist_table_count(left, right)
    counted = _format_side_counts(left, right, names)
    if not tables:
        return lazy_text("%(counted)s: a table needs two of each side.", counted=counted)
    out = left + right - 4 * tables
    if out <= MAX_PLAYERS_SITTING_OUT:
        return ""
    many = names[0] if left > right else names[1]
    return lazy_plural(
        "%(counted)s make %(number)s table, and %(out)s would sit out each game; at most "
        "%(most_sit_out)s can. Move some of the %(many)s to the other side, or leave them out.",
        "%(counted)s make %(number)s tables, and %(out)s would sit out each game; at most "
        "%(most_sit_out)s can. Move some of the %(many)s to the other side, or leave them out.",
        tables,
        counted=counted,
        out=out,
        most_sit_out=MAX_PLAYERS_SITTING_OUT,
        many=many,
    )


# --- Moving after a game of Court Whist ------------------------------------------------------------------------------

Couple = tuple[int, int]
"""A man and a lady, in this order."""


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
        require_unique_entries([*self.men, *self.ladies])
        men, ladies = zip(*self.partners, strict=True)
        if sorted(men) != sorted(self.men) or sorted(ladies) != sorted(self.ladies):
            raise ValueError("the partners at a table are its men and its ladies, each once")


def move_whist_winners(tables: Sequence[WhistTable], winners: Sequence[Couple]) -> tuple[WhistTable, ...]:
    """Return the tables for the next game. `winners` are the winning man and lady of each table.

    The tables are in clockwise order. The winning man of a table moves to the previous table, and the winning lady
    moves to the next one. Each takes the seat of the winner who left that table. Losers stay, and everybody gets a
    partner from another table. At a single table, the two couples exchange partners. The winning man and lady need not
    be partners.

    >>> first = WhistTable((1, 2), (11, 12), ((1, 11), (2, 12)))
    >>> second = WhistTable((3, 4), (13, 14), ((3, 13), (4, 14)))
    >>> for table in move_whist_winners([first, second], [(1, 11), (4, 14)]):
    ...     print(table.men, table.ladies, table.partners)
    (4, 2) (14, 12) ((4, 12), (2, 14))
    (3, 1) (13, 11) ((3, 11), (1, 13))

    Raises:
        ValueError: a player is at two tables, or the winners do not sit at their table.
    """
    require_unique_entries([player for table in tables for player in (*table.men, *table.ladies)])
    for table, (man, lady) in zip(tables, winners, strict=True):
        if man not in table.men or lady not in table.ladies:
            raise ValueError("the winners of a table sit at it")
    if len(tables) == 1:
        (first, first_lady), (second, second_lady) = tables[0].partners
        return (WhistTable(tables[0].men, tables[0].ladies, ((first, second_lady), (second, first_lady))),)
    count = len(tables)
    return tuple(
        _seat_winners(table, winners[index], coming=(winners[(index + 1) % count][0], winners[index - 1][1]))
        for index, table in enumerate(tables)
    )


def _seat_winners(table: WhistTable, leaving: Couple, *, coming: Couple) -> WhistTable:
    man, lady = coming
    first, second = (man if player == leaving[0] else player for player in table.men)
    upper, lower = (lady if player == leaving[1] else player for player in table.ladies)
    staying_lady = lower if upper == lady else upper
    with_first = staying_lady if first == man else lady
    with_second = lady if first == man else staying_lady
    return WhistTable((first, second), (upper, lower), ((first, with_first), (second, with_second)))


# --- The games of Court Whist ----------------------------------------------------------------------------------------

WHIST_GAME_COUNT: Final = 7
"""The number of games on a Court Whist score card."""

_Chairs = list[list[int | None]]
"""The man and the lady of each partnership, table by table. None is an empty chair."""


@dataclass(frozen=True, slots=True)
class WhistTables:
    """The tables in clockwise order, and the players who sit out this game."""

    tables: tuple[WhistTable, ...]
    sits_out: tuple[int, ...] = ()

    def map_partners(self) -> dict[int, int]:
        couples = [couple for table in self.tables for couple in table.partners]
        return dict(couples) | {lady: man for man, lady in couples}


def make_first_whist_tables(sides: TwoSides) -> WhistTables:
    """Return the tables for the first game of Court Whist.

    The first players drawn on each side sit at the first table, and the last ones drawn sit out.

    >>> game = make_first_whist_tables(TwoSides((1, 2, 3), (11, 12, 13)))
    >>> game.tables[0].partners, game.sits_out
    (((1, 11), (2, 12)), (3, 13))

    Raises:
        ValueError: there are too few players for a table.
    """
    count = _count_tables(sides)
    men, ladies = (_choose_players(side, 2 * count, {}) for side in (sides.left, sides.right))
    couples = list(zip(men, ladies, strict=True))
    return WhistTables(
        tuple(_make_table(couples[i : i + 2]) for i in range(0, len(couples), 2)),
        _list_players_sitting_out(sides, couples),
    )


def make_next_whist_tables(
    before: WhistTables, winners: Sequence[Couple], sides: TwoSides, sat_out: Mapping[int, int]
) -> WhistTables:
    """Return the tables for the game of Court Whist that follows the game `before`.

    The winning man and lady of each table have moved to their next table.

    `sides` are the remaining players in drawn order. `sat_out` maps players to the number of games that they have sat
    out, including the last one. Returning players take the chairs of players who sit out now or have left. Tables are
    closed or added as needed.

    Raises:
        ValueError: there are too few players for a table, or the winners do not sit at their tables.
    """
    count = _count_tables(sides)
    playing = [_choose_players(side, 2 * count, sat_out) for side in (sides.left, sides.right)]
    stays = {player for side in playing for player in side}
    moved = move_whist_winners(before.tables, winners)
    chairs: list[_Chairs] = [
        [[player if player in stays else None for player in couple] for couple in table.partners] for table in moved
    ]
    # The tables with the most empty chairs are closed. Their players take chairs elsewhere.
    empty = [sum(player is None for couple in table for player in couple) for table in chairs]
    given_up = sorted(range(len(chairs)), key=lambda i: (-empty[i], -i))[: len(chairs) - count]
    chairs = [table for i, table in enumerate(chairs) if i not in given_up]
    chairs += [[[None, None], [None, None]] for _ in range(count - len(chairs))]
    places = [couple for table in chairs for couple in table]
    for side, players in enumerate(playing):
        _fill_empty_chairs(places, side, players, before.map_partners())
    couples = [(int(man or 0), int(lady or 0)) for man, lady in places]
    return WhistTables(
        tuple(_make_table(couples[i : i + 2]) for i in range(0, len(couples), 2)),
        _list_players_sitting_out(sides, couples),
    )


def _count_tables(sides: TwoSides) -> int:
    count = _compute_whist_table_count(len(sides.left), len(sides.right))
    if not count:
        raise ValueError("a table of Court Whist has two men and two ladies")
    return count


def _choose_players(side: Sequence[int], chairs: int, sat_out: Mapping[int, int]) -> list[int]:
    """Return the side's players for the next game, one for each of the `chairs`.

    If there are more players than chairs, those who have sat out the fewest games sit out next. Among equals, the
    player drawn last is the first to sit out.
    """
    turn = sorted(side, key=lambda player: (sat_out.get(player, 0), -side.index(player)))
    resting = set(turn[: len(side) - chairs])
    return [player for player in side if player not in resting]


def _fill_empty_chairs(places: _Chairs, side: int, players: Sequence[int], last: Mapping[int, int]) -> None:
    """Give each player without a chair an empty one, next to a new partner if possible."""
    empty = [couple for couple in places if couple[side] is None]
    seated = {couple[side] for couple in places}
    coming = [player for player in players if player not in seated]
    partners = [couple[1 - side] for couple in empty]
    for player, couple in zip(_order_beside_new_partners(coming, partners, last) or coming, empty, strict=True):
        couple[side] = player


def _order_beside_new_partners(
    coming: list[int], partners: list[int | None], last: Mapping[int, int]
) -> list[int] | None:
    """Return an order of the players in `coming` in which nobody sits next to their previous partner.

    In this order, the players take the empty chairs. `partners` has the player next to each of these chairs, or None.
    `last` maps each player to the previous partner. Of several such orders, return the one that is closest to the order
    of `coming`. If there is none, return None.
    """
    if not coming:
        return []
    for player in coming:
        if partners[0] is None or last.get(player) != partners[0]:
            others = _order_beside_new_partners([one for one in coming if one != player], partners[1:], last)
            if others is not None:
                return [player, *others]
    return None


def _make_table(couples: Sequence[Couple]) -> WhistTable:
    one, other = couples
    return WhistTable((one[0], other[0]), (one[1], other[1]), (one, other))


def _list_players_sitting_out(sides: TwoSides, couples: Sequence[Couple]) -> tuple[int, ...]:
    seated = {player for couple in couples for player in couple}
    return tuple(player for player in (*sides.left, *sides.right) if player not in seated)
