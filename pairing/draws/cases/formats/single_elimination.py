"""The format `single-elimination`: an entry that loses a match is out.

    {"entries": [numbers in draw order], "byes_to": [numbers, first has priority], "seeded": false}
    -> {"matches": [{"id", "round", "sides": [{"entry": 5} | {"winner": id}]}]}

Unseeded entries fill the bracket from top to bottom (docs/draw.md). Seeded entries are in rank order.
"""

from typing import Any, Final

from pairing.draws.cases.knockout_case import read_places, side_as_json
from pairing.draws.knockout.bracket import make_bracket
from tournament.cases import Fields

NAME: Final = "single-elimination"


def pair(fields: Fields) -> dict[str, Any]:
    """Return the matches of the bracket, round by round.

    Raises:
        BadCase: `read_places` refuses the case.
    """
    matches = [
        {"id": match.id, "round": match.round, "sides": [side_as_json(side) for side in match.sides]}
        for match in make_bracket(read_places(fields)).matches
    ]
    return {"matches": matches}
