"""The format `record`: entries with the best records meet each other, and nobody meets twice.

    {"seed": "…", "entries": [{"number": 1, "wins": 2, "losses": 0, "byes": 0, "met": [4, 9], "persons": ["p1"]}, …]}
    -> {"pairs": [[1, 7], …], "bye": null, "cost": {"rematches": 0, "spread": 0}}

`persons` may be left out. A meeting counts if either side lists it in `met`, and counts once if both do. `met` may
name entries that have left.
"""

from functools import partial
from typing import Any, Final

from pairing.draws.order import read_numbers
from pairing.draws.pairs.field import CannotPair, RecordEntry
from pairing.draws.pairs.record import pair_by_record
from tournament.cases import Fields, Problems, read_all, read_object, read_text
from tournament.errors import BadCase
from tournament.lazy_text import lazy_text

NAME: Final = "record"

MOST_GAMES: Final = 1_000_000
"""More wins than anybody plays for. The exact matching can always add up numbers below it."""


def pair(fields: Fields) -> dict[str, Any]:
    """Return the pairs of the next round.

    Raises:
        BadCase: an entry occurs twice or has met itself, or a field cannot be read. The code is `cannot-pair` if so
            many entries share a person that an entry has nobody to meet.
    """
    seed = fields.text("seed", empty=True)
    first: dict[int, str] = {}
    entries = fields.read("entries", partial(read_all, each=partial(_read_entry, first=first)))
    fields.finish()
    if fields.problems or entries is None:
        raise BadCase(fields.problems.found)
    try:
        paired = pair_by_record(entries, seed=seed)
    except CannotPair:
        message = lazy_text(
            "These entries cannot all be paired: too many of them are entries of the same person, who never meet."
        )
        fields.problems.add("cannot-pair", fields.at("entries"), message)
        raise BadCase(fields.problems.found) from None
    cost = {"rematches": paired.cost.rematches, "spread": paired.cost.spread}
    return {"pairs": paired.pairs, "bye": paired.bye, "cost": cost}


def _read_entry(value: object, path: str, problems: Problems, *, first: dict[int, str]) -> RecordEntry | None:
    data = read_object(value, path, problems)
    if data is None:
        return None
    fields = Fields(data, problems, path)
    number = fields.integer("number", minimum=1)
    wins, losses, byes = (fields.integer(name, minimum=0, maximum=MOST_GAMES) for name in ("wins", "losses", "byes"))
    met = fields.read("met", read_numbers)
    persons = fields.items("persons", read_text, default=())
    fields.finish()
    if number in first:
        problems.bad(
            fields.at("number"),
            lazy_text("Entry %(number)s stands there already, at %(first)s.", number=number, first=first[number]),
        )
        return None
    if number is not None:
        first[number] = fields.at("number")
        _check_met(number, met or (), fields)
    if None in (number, wins, losses, byes, met):
        return None
    return RecordEntry(number, wins, losses, byes, frozenset(met or ()), frozenset(persons))


def _check_met(number: int, met: tuple[int, ...], fields: Fields) -> None:
    for index, other in enumerate(met):
        if other == number:
            fields.problems.bad(
                f"{fields.at('met')}[{index}]", lazy_text("Entry %(number)s cannot have met itself.", number=number)
            )
