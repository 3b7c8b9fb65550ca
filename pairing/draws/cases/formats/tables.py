"""The format `tables`: everybody sits at a table of two to five, with as few earlier opponents as possible.

    {"entries": [numbers], "size": 4, "met": [[a, b], …], "seed": "…"}
    -> {"tables": [[numbers], …], "cost": {"repeats": n}}

`size` (default 4) is the most entries at one table. A pair that has met more than once counts once. `met` may name
entries that have left.
"""

from typing import Any, Final

from pairing.draws.order import read_draw, read_pair
from pairing.draws.table_rounds.seating import LARGEST_TABLE, SMALLEST_TABLE, seat
from tournament.cases import Fields
from tournament.errors import BadCase

NAME: Final = "tables"


def pair(fields: Fields) -> dict[str, Any]:
    """Return the tables of one round.

    Raises:
        BadCase: there are fewer than two entries, one occurs twice, a meeting does not have two entries, or the size
            is over five.
    """
    entries = fields.read("entries", read_draw)
    size = fields.integer("size", minimum=SMALLEST_TABLE, maximum=LARGEST_TABLE, default=4)
    met = fields.items("met", read_pair)
    seed = fields.text("seed", empty=True)
    fields.finish()
    if fields.problems or entries is None:
        raise BadCase(fields.problems.found)
    seating = seat(entries, met, size=size, seed=seed)
    return {"tables": seating.tables, "cost": {"repeats": seating.repeats}}
