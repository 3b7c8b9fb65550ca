"""The format `double-elimination`: an entry that loses two matches is out.

    {"entries": [numbers in draw order], "byes_to": [numbers, first has priority], "seeded": false}
    -> {"matches": [{"id", "bracket": "winners" | "losers" | "final", "round",
                     "sides": [{"entry": 5} | {"winner": id} | {"loser": id}], "if_needed": true}]}

Rounds count from 1 in each bracket. Only the reset, which is the last match, has `if_needed`.
"""

from typing import Any, Final

from pairing.draws.cases.knockout_case import read_places, side_as_json
from pairing.draws.knockout.bracket import DoubleMatch, make_double_bracket
from tournament.cases import Fields

NAME: Final = "double-elimination"


def pair(fields: Fields) -> dict[str, Any]:
    """Return the matches of the winners' bracket, the losers' bracket, the final and the reset, each round by round.

    Raises:
        BadCase: `read_places` refuses the case.
    """
    return {"matches": [_match_as_json(match) for match in make_double_bracket(read_places(fields)).matches]}


def _match_as_json(match: DoubleMatch) -> dict[str, Any]:
    record = {
        "id": match.id,
        "bracket": match.part.value,
        "round": match.round,
        "sides": [side_as_json(side) for side in match.sides],
    }
    return {**record, "if_needed": True} if match.if_needed else record
