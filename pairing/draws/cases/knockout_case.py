"""Code that the knockout formats of `pair` share: reading the places of a case, and writing a side as JSON."""

from functools import partial

from pairing.draws.knockout.bracket import DrawnSide, LoserOf, WinnerOf
from pairing.draws.order import read_draw, read_numbers_once
from pairing.draws.places import Places, seeded_places
from pairing.draws.separation.draw import place_order
from tournament.cases import Fields
from tournament.errors import BadCase
from tournament.lazy_text import lazy_text


def read_places(fields: Fields) -> Places:
    """Read the places from `entries`, `byes_to` and `seeded`. A case has no other fields.

    Raises:
        BadCase: there are fewer than two entries, one occurs twice, or `byes_to` is bad. Its entries must be in the
            draw, each once. A seeded draw has none, because the ranks decide about its byes.
    """
    entries = fields.read("entries", read_draw)
    in_draw = None if entries is None else frozenset(entries)
    nobody: tuple[int, ...] = ()
    byes_to = fields.read("byes_to", partial(read_numbers_once, among=in_draw), nobody)
    seeded = fields.boolean("seeded", default=False)
    fields.finish()
    if seeded and "byes_to" in fields:
        message = lazy_text("In a seeded draw the byes go to the best ranks: leave this out.")
        fields.problems.bad(fields.at("byes_to"), message)
    if fields.problems or entries is None:
        raise BadCase(fields.problems.found)
    return seeded_places(entries) if seeded else place_order(entries, byes_to=byes_to).places


def side_as_json(source: DrawnSide | WinnerOf | LoserOf) -> dict[str, int | str]:
    if isinstance(source, DrawnSide):
        return {"entry": source.number}
    return {"winner": source.match} if isinstance(source, WinnerOf) else {"loser": source.match}
