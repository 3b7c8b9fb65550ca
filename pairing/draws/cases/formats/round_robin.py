"""The format `round-robin`: everybody meets everybody once.

    {"entries": [numbers]} -> {"rounds": [[[1, 2], [3, 4]], …]}

There are n − 1 rounds, or n with an odd number of entries. An entry that sits out is in none of the round's pairs.
"""

from typing import Any, Final

from pairing.draws.order import read_draw
from pairing.draws.table_rounds.schedule import round_robin
from tournament.cases import Fields
from tournament.errors import BadCase
from tournament.lazy_text import lazy_text

NAME: Final = "round-robin"

MOST_ENTRIES: Final = 2_000
"""The most entries, which make two million pairs. More would only fill the memory."""


def pair(fields: Fields) -> dict[str, Any]:
    """Return all the rounds.

    Raises:
        BadCase: there are fewer than two entries or more than `MOST_ENTRIES`, or one occurs twice.
    """
    entries = fields.read("entries", read_draw)
    fields.finish()
    if entries is not None and len(entries) > MOST_ENTRIES:
        fields.problems.bad(
            "entries",
            lazy_text(
                "A round robin takes %(most_entries)s entries at most: make groups of them.",
                most_entries=format(MOST_ENTRIES, ","),
            ),
        )
    if fields.problems or entries is None:
        raise BadCase(fields.problems.found)
    return {"rounds": round_robin(entries)}
