"""`round-robin`: everybody meets everybody once.

    {"entries": [numbers]} -> {"rounds": [[[1, 2], [3, 4]], …]}

In n − 1 rounds, with an odd number in n; who sits out is in none of the round's pairs.
"""

from typing import Any, Final

from pairing.draws.order.entries import read_draw
from pairing.draws.table_rounds.schedule import round_robin
from tournament.cases import Fields
from tournament.errors import BadCase
from tournament.said import worded

NAME: Final = "round-robin"

MOST_ENTRIES: Final = 2_000
"""Two million pairs: more would only fill the memory."""


def pair(fields: Fields) -> dict[str, Any]:
    """All rounds.

    Raises:
        BadCase: fewer than two entries, more than `MOST_ENTRIES`, or one twice.
    """
    entries = fields.read("entries", read_draw)
    fields.finish()
    if entries is not None and len(entries) > MOST_ENTRIES:
        fields.problems.bad(
            "entries",
            worded(
                "A round robin takes %(most_entries)s entries at most: make groups of them.",
                most_entries=format(MOST_ENTRIES, ","),
            ),
        )
    if fields.problems or entries is None:
        raise BadCase(fields.problems.found)
    return {"rounds": round_robin(entries)}
