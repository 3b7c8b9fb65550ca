"""The formats of `pair`, by name. To add one, write a module with a `NAME` and a `pair`, and list it here.

Formats never import each other. Code that two of them share is in the folder above.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from pairing.draws.cases.formats import (
    court_whist,
    double_elimination,
    record,
    rotation,
    round_robin,
    single_elimination,
    tables,
)
from tournament.cases import Fields, Problems
from tournament.errors import BadCase
from tournament.lazy_text import lazy_text

Format = Callable[[Fields], dict[str, Any]]

FORMATS: Final[Mapping[str, Format]] = {
    module.NAME: module.pair
    for module in (record, single_elimination, double_elimination, round_robin, rotation, tables, court_whist)
}


def answer_pair(case: dict[str, Any]) -> dict[str, Any]:
    """Return the pairings of one case, by its format.

    >>> answer_pair({"format": "single-elimination", "entries": [4, 9]})
    {'matches': [{'id': 'R1M1', 'round': 1, 'sides': [{'entry': 4}, {'entry': 9}]}]}

    Raises:
        BadCase: `unknown-format`, or the format refuses the case.
    """
    problems = Problems()
    fields = Fields(case, problems)
    name = fields.text("format")
    if name is None:
        raise BadCase(problems.found)
    if name not in FORMATS:
        message = lazy_text("This format is not known. Known: %(formats)s.", formats=", ".join(sorted(FORMATS)))
        problems.add("unknown-format", "format", message)
        raise BadCase(problems.found)
    return FORMATS[name](fields)
