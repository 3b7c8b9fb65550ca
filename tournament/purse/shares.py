"""Split the prize of an entry among its players, equally or as they agreed, to the cent."""

from collections.abc import Sequence

from tournament.errors import DomainError
from tournament.purse.places import make_scale
from tournament.said import worded


def split_prize(cents: int, players: int, percents: Sequence[str] = ()) -> tuple[int, ...]:
    """Return each player's part of one prize in the order of their seats. The parts add up to the prize.

    Without percents the players share equally, and odd cents go to the first seats. With percents each share is
    rounded down to whole cents, and the cents left over go to those who lost most by rounding.

    >>> split_prize(100_01, 2)
    (5001, 5000)
    >>> split_prize(100_01, 2, ["60", "40"])
    (6001, 4000)

    Raises:
        DomainError: `bad-shares` without one percent for each player, and `bad-value`, `bad-scale` from `make_scale`.
        ValueError: no player, or an amount below zero.
    """
    if players < 1 or cents < 0:
        raise ValueError("a prize of zero or more is split among one player or more")
    if not percents:
        each, odd = divmod(cents, players)
        return tuple(each + (seat < odd) for seat in range(players))
    if len(percents) != players:
        raise DomainError(
            "bad-shares",
            worded("Write one percent for each of the %(players)s players, such as 60, 40.", players=players),
        )
    return make_scale(percents, unit_cents=1).divide(cents)
