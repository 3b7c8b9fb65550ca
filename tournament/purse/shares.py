"""From the prize of an entry to what each of its players gets: equally, or as they agreed, to the cent."""

from collections.abc import Sequence

from tournament.errors import DomainError
from tournament.purse.places import make_scale
from tournament.said import worded


def split_prize(cents: int, players: int, percents: Sequence[str] = ()) -> tuple[int, ...]:
    """Return what each player gets of one prize, in the order of their seats; together it is the prize.

    Without percents they share equally, and odd cents go to the first seats. With percents each share is rounded
    down to whole cents, and the cents left over go to those who lost most by it.

    >>> split_prize(100_01, 2)
    (5001, 5000)
    >>> split_prize(100_01, 2, ["60", "40"])
    (6001, 4000)

    Raises:
        DomainError: `bad-shares`, where there is not one percent a player; `bad-value`, `bad-scale` from `make_scale`.
        ValueError: nobody to share, or an amount below zero.
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
