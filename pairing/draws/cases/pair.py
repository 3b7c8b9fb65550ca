"""The `pair` command, which makes the pairings for a case according to its format.

To add a format, write a function that reads a case and returns its result, and list it in `CASE_RUNNER_BY_FORMAT`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from pairing.draws.knockout.bracket import DrawnSide, LoserOf, WinnerOf, make_bracket, make_double_elimination_bracket
from pairing.draws.order import read_distinct_entry_numbers, read_entry_numbers, read_entry_pair
from pairing.draws.pairs.record import EntryWithRecord, NoPossiblePairing, pair_by_record
from pairing.draws.places import BracketPlaces, place_seeds
from pairing.draws.separation.draw import place_drawn_order
from pairing.draws.stages.pools import schedule_round_robin
from pairing.draws.table_rounds import MAX_TABLE_SIZE, MIN_TABLE_SIZE, seat_entries_at_tables
from pairing.draws.two_sides import Couple, WhistTable, make_rotation_round, move_whist_winners
from tournament.cases import FieldReader, ProblemCollector, read_object, read_text, read_unchecked_list, read_valid_list
from tournament.errors import InvalidInput
from tournament.lazy_text import lazy_text


def run_pair_case(case: dict[str, Any]) -> dict[str, Any]:
    """Return the pairings for a case according to its format.

    >>> run_pair_case({"format": "single-elimination", "entries": [4, 9]})
    {'matches': [{'id': 'R1M1', 'round': 1, 'sides': [{'entry': 4}, {'entry': 9}]}]}

    Raises:
        InvalidInput: the format is unknown (`unknown-format`), or it rejects the case.
    """
    problems = ProblemCollector()
    fields = FieldReader(case, problems)
    name = fields.text("format")
    if name is None:
        raise InvalidInput(problems.found)
    if name not in CASE_RUNNER_BY_FORMAT:
        message = lazy_text(
            "This format is not known. Known: %(formats)s.", formats=", ".join(sorted(CASE_RUNNER_BY_FORMAT))
        )
        problems.add("unknown-format", "format", message)
        raise InvalidInput(problems.found)
    return CASE_RUNNER_BY_FORMAT[name](fields)


# --- By record -------------------------------------------------------------------------------------------------------


_MAX_WINS: Final = 1_000_000
"""An upper limit for wins, far beyond any real event. It prevents overflows in the exact matching."""


def _pair_by_record_case(fields: FieldReader) -> dict[str, Any]:
    """Pair entries with the best records against each other, without rematches.

    {"seed": "…", "entries": [{"number": 1, "wins": 2, "losses": 0, "byes": 0, "met": [4, 9], "persons": ["p1"]}, …]}
        -> {"pairs": [[1, 7], …], "bye": null, "cost": {"rematches": 0, "spread": 0}}

    `persons` may be left out. A meeting counts if either side lists it in `met`, and counts once if both do. `met` may
    name entries that have left.

    Raises:
        InvalidInput: an entry occurs twice or has met itself, or a field cannot be read. The code is `cannot-pair` if
            so many entries share a person that one of them has no possible opponent.
    """
    seed = fields.text("seed", empty=True)
    first: dict[int, str] = {}
    entries = fields.read("entries", partial(read_valid_list, each=partial(_read_entry, first=first)))
    fields.finish()
    if fields.problems or entries is None:
        raise InvalidInput(fields.problems.found)
    try:
        paired = pair_by_record(entries, seed=seed)
    except NoPossiblePairing:
        message = lazy_text(
            "These entries cannot all be paired: too many of them are entries of the same person, who never meet."
        )
        fields.problems.add("cannot-pair", fields.get_path("entries"), message)
        raise InvalidInput(fields.problems.found) from None
    cost = {"rematches": paired.cost.rematches, "spread": paired.cost.spread}
    return {"pairs": paired.pairs, "bye": paired.bye, "cost": cost}


def _read_entry(
    value: object, path: str, problems: ProblemCollector, *, first: dict[int, str]
) -> EntryWithRecord | None:
    data = read_object(value, path, problems)
    if data is None:
        return None
    fields = FieldReader(data, problems, path)
    number = fields.integer("number", minimum=1)
    wins, losses, byes = (fields.integer(name, minimum=0, maximum=_MAX_WINS) for name in ("wins", "losses", "byes"))
    met = fields.read("met", read_entry_numbers)
    persons = fields.items("persons", read_text, default=())
    fields.finish()
    if number in first:
        problems.add_bad_value(
            fields.get_path("number"),
            lazy_text("Entry %(number)s stands there already, at %(first)s.", number=number, first=first[number]),
        )
        return None
    if number is not None:
        first[number] = fields.get_path("number")
        for index, other in enumerate(met or ()):
            if other == number:
                here = f"{fields.get_path('met')}[{index}]"
                problems.add_bad_value(here, lazy_text("Entry %(number)s cannot have met itself.", number=number))
    if None in (number, wins, losses, byes, met):
        return None
    return EntryWithRecord(number, wins, losses, byes, frozenset(met or ()), frozenset(persons))


# --- Single and double elimination -----------------------------------------------------------------------------------


def _pair_single_elimination(fields: FieldReader) -> dict[str, Any]:
    """Make a single-elimination bracket.

    {"entries": [numbers in draw order], "byes_to": [numbers, first has priority], "seeded": false}
        -> {"matches": [{"id", "round", "sides": [{"entry": 5} | {"winner": id}]}]}

    Unseeded entries fill the bracket from top to bottom (docs/draw.md). Seeded entries are in rank order.

    Raises:
        InvalidInput: `_read_places` rejects the case.
    """
    matches = [
        {"id": match.id, "round": match.round, "sides": [make_side_json(side) for side in match.sides]}
        for match in make_bracket(_read_places(fields)).matches
    ]
    return {"matches": matches}


def _pair_double_elimination(fields: FieldReader) -> dict[str, Any]:
    """Make a double-elimination bracket, in which an entry is eliminated by its second loss.

    {"entries": [numbers in draw order], "byes_to": [numbers, first has priority], "seeded": false}
        -> {"matches": [{"id", "bracket": "winners" | "losers" | "final", "round",
                         "sides": [{"entry": 5} | {"winner": id} | {"loser": id}], "if_needed": true}]}

    Rounds are numbered from 1 in each bracket. Only the reset, which is the last match, has `if_needed`.

    Raises:
        InvalidInput: `_read_places` rejects the case.
    """
    matches = []
    for match in make_double_elimination_bracket(_read_places(fields)).matches:
        sides = [make_side_json(side) for side in match.sides]
        record = {"id": match.id, "bracket": match.part, "round": match.round, "sides": sides}
        matches.append({**record, "if_needed": True} if match.if_needed else record)
    return {"matches": matches}


def _read_places(fields: FieldReader) -> BracketPlaces:
    """Read the bracket positions from `entries`, `byes_to` and `seeded`. The case must have no other fields.

    Raises:
        InvalidInput: there are fewer than two entries, one occurs twice, or `byes_to` is invalid. The entries in
            `byes_to` must be distinct and in the draw. A seeded draw has no `byes_to`, because the ranks decide who
            gets a bye.
    """
    entries = fields.read("entries", _read_draw)
    in_draw = None if entries is None else frozenset(entries)
    nobody: tuple[int, ...] = ()
    byes_to = fields.read("byes_to", partial(read_distinct_entry_numbers, among=in_draw), nobody)
    seeded = fields.boolean("seeded", default=False)
    fields.finish()
    if seeded and "byes_to" in fields:
        message = lazy_text("In a seeded draw the byes go to the best ranks: leave this out.")
        fields.problems.add_bad_value(fields.get_path("byes_to"), message)
    if fields.problems or entries is None:
        raise InvalidInput(fields.problems.found)
    return place_seeds(entries) if seeded else place_drawn_order(entries, byes_to=byes_to).places


def _read_draw(value: object, path: str, problems: ProblemCollector) -> tuple[int, ...] | None:
    numbers = read_distinct_entry_numbers(value, path, problems)
    if isinstance(value, list) and len(value) < 2:
        problems.add_bad_value(path, lazy_text("A draw needs at least two entries."))
        return None
    return numbers


def make_side_json(source: DrawnSide | WinnerOf | LoserOf) -> dict[str, int | str]:
    if isinstance(source, DrawnSide):
        return {"entry": source.number}
    return {"winner": source.match} if isinstance(source, WinnerOf) else {"loser": source.match}


# --- Round robin -----------------------------------------------------------------------------------------------------


_MAX_ROUND_ROBIN_ENTRIES: Final = 2_000
"""The maximum number of entries in a round robin. With more, the list of pairs would exhaust the memory."""


def _pair_round_robin(fields: FieldReader) -> dict[str, Any]:
    """Make the rounds of a round robin, in which everybody plays everybody once.

    {"entries": [numbers]} -> {"rounds": [[[1, 2], [3, 4]], …]}

    There are n − 1 rounds, or n if the number of entries is odd. An entry that sits out a round is not in that round's
    pairs.

    Raises:
        InvalidInput: there are fewer than two entries or more than `_MAX_ROUND_ROBIN_ENTRIES`, or one occurs twice.
    """
    entries = fields.read("entries", _read_draw)
    fields.finish()
    if entries is not None and len(entries) > _MAX_ROUND_ROBIN_ENTRIES:
        fields.problems.add_bad_value(
            "entries",
            lazy_text(
                "A round robin takes %(most_entries)s entries at most: make groups of them.",
                most_entries=format(_MAX_ROUND_ROBIN_ENTRIES, ","),
            ),
        )
    if fields.problems or entries is None:
        raise InvalidInput(fields.problems.found)
    return {"rounds": schedule_round_robin(entries)}


# --- Two sides in rotation -------------------------------------------------------------------------------------------


def _pair_rotation(fields: FieldReader) -> dict[str, Any]:
    """Pair two sides by rotation. The left side keeps its seats, and the right side moves up one seat each round.

    {"left": [numbers], "right": [numbers], "round": from 1} -> {"pairs": [[left, right], …]}

    `left[i]` plays `right[(i + round − 1) mod n]`. After n rounds the rotation starts over.

    Raises:
        InvalidInput: the sides are empty or have different sizes, an entry occurs twice, or the round is before the
            first.
    """
    left = fields.read("left", read_distinct_entry_numbers)
    right = fields.read("right", read_distinct_entry_numbers)
    turn = fields.integer("round", minimum=1)
    fields.finish()
    if left is not None and right is not None:
        _check_sides(left, right, fields)
    if fields.problems or left is None or right is None:
        raise InvalidInput(fields.problems.found)
    return {"pairs": make_rotation_round(left, right, turn=turn)}


def _check_sides(left: tuple[int, ...], right: tuple[int, ...], fields: FieldReader) -> None:
    problems = fields.problems
    if not left:
        problems.add_bad_value("left", lazy_text("There is nobody on this side."))
    if len(left) != len(right):
        problems.add_bad_value(
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
            problems.add_bad_value(
                f"right[{index}]",
                lazy_text(
                    "Entry %(entry)s stands on the other side, at left[%(place)s].", entry=entry, place=places[entry]
                ),
            )


# --- Tables ----------------------------------------------------------------------------------------------------------


def _pair_tables(fields: FieldReader) -> dict[str, Any]:
    """Seat everybody at tables of two to five, with as few repeated opponents as possible.

    {"entries": [numbers], "size": 4, "met": [[a, b], …], "seed": "…"}
        -> {"tables": [[numbers], …], "cost": {"repeats": n}}

    `size` is the maximum number of entries at a table (4 by default). A pair that has met several times counts once.
    `met` may list entries that have left.

    Raises:
        InvalidInput: there are fewer than two entries, one occurs twice, a meeting does not have two entries, or the
            size is over five.
    """
    entries = fields.read("entries", _read_draw)
    size = fields.integer("size", minimum=MIN_TABLE_SIZE, maximum=MAX_TABLE_SIZE, default=4)
    met = fields.items("met", read_entry_pair)
    seed = fields.text("seed", empty=True)
    fields.finish()
    if fields.problems or entries is None:
        raise InvalidInput(fields.problems.found)
    seating = seat_entries_at_tables(entries, met, size=size, seed=seed)
    return {"tables": seating.tables, "cost": {"repeats": seating.repeats}}


# --- Court Whist -----------------------------------------------------------------------------------------------------


_PlayedTable = tuple[WhistTable, Couple]


def _pair_court_whist(fields: FieldReader) -> dict[str, Any]:
    """Make the tables of the next Court Whist game: the winners move, and everybody gets a new partner.

    {"tables": [{"men": [m1, m2], "ladies": [l1, l2], "partners": [[m1, l1], [m2, l2]], "winners": [m1, l1]}, …]}
        -> {"tables": [{"men", "ladies", "partners"}, …]}

    The tables are listed clockwise. Winning men move to the table before theirs, and winning ladies to the one after
    it.

    Raises:
        InvalidInput: there is no table, a player occurs twice, or partners or winners do not sit at their table. A
            couple must be a man first and a lady second.
    """
    played = fields.read("tables", _read_tables)
    fields.finish()
    if fields.problems or played is None:
        raise InvalidInput(fields.problems.found)
    tables, winners = zip(*played, strict=True)
    moved = move_whist_winners(tables, winners)
    return {"tables": [{"men": each.men, "ladies": each.ladies, "partners": each.partners} for each in moved]}


def _read_tables(value: object, path: str, problems: ProblemCollector) -> list[_PlayedTable] | None:
    seats: dict[int, str] = {}
    tables = read_valid_list(value, path, problems, each=partial(_read_table, seats=seats))
    if value == []:
        problems.add_bad_value(path, lazy_text("There must be at least one table."))
    return tables


def _read_table(value: object, path: str, problems: ProblemCollector, *, seats: dict[int, str]) -> _PlayedTable | None:
    data = read_object(value, path, problems)
    if data is None:
        return None
    fields = FieldReader(data, problems, path)
    men = fields.read("men", read_entry_pair)
    ladies = fields.read("ladies", read_entry_pair)
    partners = fields.read("partners", _read_partners)
    winners = fields.read("winners", read_entry_pair)
    fields.finish()
    sides = {"men": men, "ladies": ladies}
    new_here = [
        _check_seats_are_new(players, fields.get_path(name), seats, problems)
        for name, players in sides.items()
        if players
    ]
    if men is None or ladies is None or not all(new_here):
        return None
    good = partners is not None and _check_partners(partners, men, ladies, fields)
    if winners is None or not _check_couple(winners, men, ladies, fields.get_path("winners"), problems):
        return None
    return (WhistTable(men, ladies, partners), winners) if good and partners is not None else None


def _check_seats_are_new(players: Sequence[int], path: str, seats: dict[int, str], problems: ProblemCollector) -> bool:
    good = True
    for index, player in enumerate(players):
        if player in seats:
            problems.add_bad_value(
                f"{path}[{index}]",
                lazy_text("Player %(player)s sits already at %(seat)s.", player=player, seat=seats[player]),
            )
            good = False
        seats.setdefault(player, f"{path}[{index}]")
    return good


def _read_partners(value: object, path: str, problems: ProblemCollector) -> tuple[Couple, Couple] | None:
    found = read_unchecked_list(value, path, problems)
    if found is None:
        return None
    if len(found) != 2:
        problems.add_bad_value(path, lazy_text("At a table there are two partnerships."))
        return None
    first, second = (read_entry_pair(item, f"{path}[{index}]", problems) for index, item in enumerate(found))
    return None if first is None or second is None else (first, second)


def _check_partners(partners: tuple[Couple, Couple], men: Couple, ladies: Couple, fields: FieldReader) -> bool:
    path = fields.get_path("partners")
    couples = [
        _check_couple(couple, men, ladies, f"{path}[{index}]", fields.problems) for index, couple in enumerate(partners)
    ]
    if not all(couples):
        return False
    for side in (0, 1):
        if partners[0][side] == partners[1][side]:
            fields.problems.add_bad_value(
                f"{path}[1][{side}]", lazy_text("Player %(what)s has a partner already.", what=partners[1][side])
            )
            return False
    return True


def _check_couple(couple: Couple, men: Couple, ladies: Couple, path: str, problems: ProblemCollector) -> bool:
    """Return whether the couple consists of a man at the table followed by a lady at the table. Report any problem."""
    good = True
    for side, (players, word) in enumerate(((men, "man"), (ladies, "lady"))):
        if couple[side] not in players:
            problems.add_bad_value(
                f"{path}[{side}]",
                lazy_text("Player %(couple)s is no %(word)s at this table.", couple=couple[side], word=word),
            )
            good = False
    return good


CASE_RUNNER_BY_FORMAT: Final[Mapping[str, Callable[[FieldReader], dict[str, Any]]]] = {
    "record": _pair_by_record_case,
    "single-elimination": _pair_single_elimination,
    "double-elimination": _pair_double_elimination,
    "round-robin": _pair_round_robin,
    "rotation": _pair_rotation,
    "tables": _pair_tables,
    "court-whist": _pair_court_whist,
}
