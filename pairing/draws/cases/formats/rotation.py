"""The format `rotation`: two sides meet, one keeps its seats, and the other moves up by one seat each round.

    {"left": [numbers], "right": [numbers], "round": from 1} -> {"pairs": [[left, right], …]}

`left[i]` meets `right[(i + round − 1) mod n]`. After n rounds it begins again.
"""

from typing import Any, Final

from pairing.draws.order import read_numbers_once
from pairing.draws.table_rounds.schedule import rotation
from tournament.cases import Fields
from tournament.errors import BadCase
from tournament.lazy_text import lazy_text

NAME: Final = "rotation"


def pair(fields: Fields) -> dict[str, Any]:
    """Return the pairs of one round, in the order of the left side.

    Raises:
        BadCase: the sides are empty or have different sizes, an entry occurs twice, or the round is before the first.
    """
    left = fields.read("left", read_numbers_once)
    right = fields.read("right", read_numbers_once)
    turn = fields.integer("round", minimum=1)
    fields.finish()
    if left is not None and right is not None:
        _check_sides(left, right, fields)
    if fields.problems or left is None or right is None:
        raise BadCase(fields.problems.found)
    return {"pairs": rotation(left, right, turn=turn)}


def _check_sides(left: tuple[int, ...], right: tuple[int, ...], fields: Fields) -> None:
    problems = fields.problems
    if not left:
        problems.bad("left", lazy_text("There is nobody on this side."))
    if len(left) != len(right):
        problems.bad(
            "right",
            lazy_text(
                "The two sides must have one size, but there are %(left)s against %(right)s.",
                left=len(left),
                right=len(right),
            ),
        )
    places = {entry: index for index, entry in enumerate(left)}
    for index, entry in enumerate(right):
        if entry in places:
            problems.bad(
                f"right[{index}]",
                lazy_text(
                    "Entry %(entry)s stands on the other side, at left[%(place)s].", entry=entry, place=places[entry]
                ),
            )
