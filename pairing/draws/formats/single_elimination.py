"""`single-elimination`: who loses a match is out.

    {"entries": [numbers in draw order], "byes_to": [numbers, first has priority], "seeded": false}
    -> {"matches": [{"id", "round", "sides": [{"entry": 5} | {"winner": id}]}]}

Unseeded, the entries fill the bracket from top to bottom (docs/draw.md); seeded, they stand in rank order.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from pairing.draws.bracket import Entry, Match, Source, make_bracket
from pairing.draws.draw import place_order
from pairing.draws.entries import read_draw, read_numbers_once
from pairing.draws.seeding import seeded_places
from tournament.cases import Fields
from tournament.errors import BadCase

NAME: Final = "single-elimination"


def pair(fields: Fields) -> dict[str, Any]:
    """The matches of the bracket, round by round.

    Raises:
        BadCase: fewer than two entries, one twice, a bye for an entry that is not in the draw or named twice,
            or `byes_to` in a seeded draw, where ranks have the byes.
    """
    entries = fields.read("entries", read_draw)
    in_draw = None if entries is None else frozenset(entries)
    nobody: tuple[int, ...] = ()
    byes_to = fields.read("byes_to", partial(read_numbers_once, among=in_draw), nobody)
    seeded = fields.boolean("seeded", default=False)
    fields.finish()
    if seeded and "byes_to" in fields:
        message = "In a seeded draw the byes go to the best ranks: leave this out."
        fields.problems.bad(fields.at("byes_to"), message)
    if fields.problems or entries is None:
        raise BadCase(fields.problems.found)
    places = seeded_places(entries) if seeded else place_order(entries, byes_to=byes_to).places
    return {"matches": [match_as_json(match) for match in make_bracket(places).matches]}


def match_as_json(match: Match) -> dict[str, Any]:
    return {"id": match.id, "round": match.round, "sides": [_side_as_json(side) for side in match.sides]}


def _side_as_json(source: Source) -> dict[str, Any]:
    return {"entry": source.number} if isinstance(source, Entry) else {"winner": source.match}
