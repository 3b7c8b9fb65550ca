"""The `standings` command, which ranks entries and explains each place.

The command uses the same code as real events.

{"entries": [4, 9], "matches": [{"sides": [4, 9], "winner": 4, "points": {"4": 150, "9": 120}}], …}
-> {"places": [{"place": 1, "entry": 4, "why": "…"}, …]}

The section on standings in the specification (CONTRACTS) defines the input format.
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from pairing.draws.order import read_distinct_entry_numbers
from pairing.draws.results import (
    Credit,
    MatchOutcome,
    Meeting,
    RemovalReason,
    Result,
    ResultCause,
    compute_win_loss_records,
)
from pairing.draws.stages.standings import DEFAULT_TIE_BREAKS, RankingFacts, TieBreak, rank_entries
from tournament.cases import (
    FieldReader,
    ProblemCollector,
    join_path,
    read_boolean,
    read_choice,
    read_integer,
    read_object,
    read_unchecked_list,
    shorten_text,
)
from tournament.lazy_text import lazy_text

_T = TypeVar("_T")
_Reader = Callable[[Any, str, ProblemCollector], _T | None]

_ENTRY_NUMBER_PATTERN: Final = re.compile(r"[1-9][0-9]{0,15}")
_CREDITS: Final = ("bye", "penalty")


def run_standings_case(case: dict[str, Any]) -> dict[str, Any]:
    """Return the places for a case. The management command adds the key `ok`.

    >>> match = {"sides": [4, 9], "winner": 9}
    >>> for place in run_standings_case({"entries": [4, 9], "matches": [match]})["places"]:
    ...     print(place)
    {'place': 1, 'entry': 9, 'why': 'Before entry 4 by wins, 1 to 0.'}
    {'place': 2, 'entry': 4, 'why': 'Behind entry 9 by wins, 1 to 0.'}

    Raises:
        InvalidInput: all the problems found: `missing-field`, `unknown-field` or `bad-value`. An entry that is not
            listed or occurs twice is a bad value. So is a match with no ending, or with several.
    """
    problems = ProblemCollector()
    fields = FieldReader(case, problems)
    entries: tuple[int, ...] | None = fields.read("entries", read_distinct_entry_numbers)
    known = None if entries is None else frozenset(entries)
    matches = fields.items("matches", partial(_read_match, known=known))
    usual: tuple[TieBreak, ...] = DEFAULT_TIE_BREAKS
    nobody: dict[int, RemovalReason] = {}
    whole: tuple[tuple[int, ...], ...] = ()
    tie_breaks = fields.read("tie_breaks", _read_tie_breaks, usual)
    place = partial(read_integer, minimum=1)
    play_offs = fields.items("play_offs", partial(_read_values_by_entry, each=place, known=known), default=())
    draws = fields.items("draws", partial(_read_listed_entries, known=known), default=())
    removed = fields.read("removed", partial(_read_values_by_entry, each=_read_removal, known=known), nobody)
    groups = fields.read("groups", partial(_read_groups, known=known), whole)
    fields.finish()
    problems.raise_if_any()
    assert entries is not None
    meetings = [make(f"M{turn}") for turn, make in enumerate(matches, start=1)]
    records = compute_win_loss_records(entries, meetings)
    facts = RankingFacts(
        records=records, play_offs=play_offs, draws=draws, removal_reasons=removed, uses_averages=bool(groups)
    )
    ranked = rank_entries(facts, tie_breaks)
    return {"places": [{"place": row.place, "entry": row.entry, "why": row.why} for row in ranked]}


def _read_listed_entries(
    value: object, path: str, problems: ProblemCollector, *, known: Collection[int] | None
) -> tuple[int, ...] | None:
    """Read distinct entry numbers that are all in the case's list. If that list is invalid, accept any number."""
    numbers = read_distinct_entry_numbers(value, path, problems)
    if numbers is None or known is None:
        return numbers
    strangers = [(at, number) for at, number in enumerate(numbers) if number not in known]
    for at, number in strangers:
        problems.add_bad_value(f"{path}[{at}]", _format_unknown_entry_problem(number))
    return None if strangers else numbers


def _format_unknown_entry_problem(number: int) -> str:
    return lazy_text("Entry %(number)s is not one of the entries. List it there, or correct the number.", number=number)


def _read_values_by_entry(
    value: object, path: str, problems: ProblemCollector, *, each: _Reader[_T], known: Collection[int] | None
) -> dict[int, _T] | None:
    """Read a JSON object whose keys are entry numbers, like `{"4": 1, "9": 2}`."""
    data = read_object(value, path, problems)
    if data is None:
        return None
    found: dict[int, _T] = {}
    for name, item in data.items():
        here = join_path(path, shorten_text(name))
        if _ENTRY_NUMBER_PATTERN.fullmatch(name) is None:
            problems.add_bad_value(
                here, lazy_text("“%(name)s” is not an entry number. Write it like “4”.", name=shorten_text(name))
            )
        elif known is not None and int(name) not in known:
            problems.add_bad_value(here, _format_unknown_entry_problem(int(name)))
        else:
            taken = each(item, here, problems)
            if taken is not None:
                found[int(name)] = taken
    return found if len(found) == len(data) else None


def _read_removal(value: object, path: str, problems: ProblemCollector) -> RemovalReason | None:
    found = read_choice(value, path, problems, choices=[why.value for why in RemovalReason])
    return None if found is None else RemovalReason(found)


def _read_tie_breaks(value: object, path: str, problems: ProblemCollector) -> tuple[TieBreak, ...] | None:
    listed = read_unchecked_list(value, path, problems)
    if listed is None:
        return None
    choices = [each.value for each in TieBreak]
    read = [read_choice(item, f"{path}[{at}]", problems, choices=choices) for at, item in enumerate(listed)]
    first: dict[str, int] = {}
    for at, name in enumerate(read):
        if name is not None and first.setdefault(name, at) != at:
            problems.add_bad_value(
                f"{path}[{at}]", lazy_text("“%(name)s” stands there already. A tie-break is asked once.", name=name)
            )
    return tuple(map(TieBreak, first))


def _read_groups(
    value: object, path: str, problems: ProblemCollector, *, known: Collection[int] | None
) -> tuple[tuple[int, ...], ...] | None:
    listed = read_unchecked_list(value, path, problems)
    if listed is None:
        return None
    before = len(problems.found)
    groups: list[tuple[int, ...]] = []
    first: dict[int, str] = {}
    for index, item in enumerate(listed):
        numbers = _read_listed_entries(item, f"{path}[{index}]", problems, known=known) or ()
        for at, number in enumerate(numbers):
            here = f"{path}[{index}][{at}]"
            if number in first:
                problems.add_bad_value(
                    here,
                    lazy_text(
                        "Entry %(number)s is in a group already, at %(first)s.", number=number, first=first[number]
                    ),
                )
            first.setdefault(number, here)
        groups.append(numbers)
    left = sorted(set(known or ()) - first.keys()) if len(problems.found) == before else []
    if left:
        problems.add_bad_value(
            path, lazy_text("Entry %(left)s is in no group. Everybody is in one of them.", left=left[0])
        )
    return tuple(groups)


def _read_match(
    value: object, path: str, problems: ProblemCollector, *, known: Collection[int] | None
) -> Callable[[str], Meeting] | None:
    """Read a match, and return a function that makes a `Meeting` from its name. Return None if the match is invalid."""
    data = read_object(value, path, problems)
    if data is None:
        return None
    before = len(problems.found)
    fields = FieldReader(data, problems, path)
    sides = fields.read("sides", partial(_read_listed_entries, known=known))
    if sides is not None and len(sides) not in (1, 2):
        problems.add_bad_value(
            fields.get_path("sides"), lazy_text("A match has two sides, or one that has a bye or a penalty.")
        )
        return None
    untold: dict[int, int] = {}
    points = fields.read("points", partial(_read_points, sides=sides), untold)
    if sides is None:
        fields.finish(known=("winner", "void", "losers", "credit"))
        return None
    credits = _read_ending(fields, sides) if len(sides) == 2 else _read_credit(fields, sides[0])
    fields.finish()
    if credits is None or len(problems.found) > before:
        return None
    return partial(_make_meeting, sides=sides, credits=credits, points=points)


def _make_meeting(
    name: str, *, sides: tuple[int, ...], credits: Mapping[int, Credit], points: Mapping[int, int]
) -> Meeting:
    winner = next((side for side, credit in credits.items() if credit.result is Result.WIN), None)
    return Meeting(name, sides, MatchOutcome(name, winner, credits), points)


def _read_points(
    value: object, path: str, problems: ProblemCollector, *, sides: tuple[int, ...] | None
) -> dict[int, int] | None:
    found = _read_values_by_entry(value, path, problems, each=read_integer, known=None)
    for side in found or ():
        if sides is not None and side not in sides:
            problems.add_bad_value(
                join_path(path, str(side)), lazy_text("Entry %(side)s is not a side of this match.", side=side)
            )
    return found


def _read_credit(fields: FieldReader, side: int) -> dict[int, Credit] | None:
    credit = fields.choice("credit", _CREDITS)
    if credit is None:
        return None
    return {side: Credit(Result.WIN, ResultCause.BYE) if credit == "bye" else Credit(Result.LOSS, ResultCause.PENALTY)}


def _read_ending(fields: FieldReader, sides: tuple[int, ...]) -> dict[int, Credit] | None:
    """Read how a match between two sides ended: with a winner, void, or with one or two losers and no winner."""
    winner = fields.read("winner", partial(_read_side, sides=sides), None)
    void = fields.read("void", read_boolean, None)
    losers = fields.read("losers", partial(_read_losers, sides=sides), None)
    ends = [name for name in ("winner", "losers") if name in fields] + (["void"] if void else [])
    if not ends and "void" not in fields:
        fields.problems.add(
            "missing-field", fields.get_path("winner"), lazy_text("“winner” is missing, or “void”, or “losers”.")
        )
    elif not ends and void is False:
        fields.problems.add_bad_value(
            fields.get_path("void"), lazy_text("The match is not void. Say who won: “winner”, or “losers”.")
        )
    elif len(ends) > 1:
        fields.problems.add_bad_value(
            fields.get_path(ends[1]), lazy_text("A match ends in one way: “winner”, “void” or “losers”.")
        )
    if winner is not None:
        lost = next(side for side in sides if side != winner)
        return {winner: Credit(Result.WIN, ResultCause.PLAYED), lost: Credit(Result.LOSS, ResultCause.PLAYED)}
    if losers is not None:
        lose, nothing = Credit(Result.LOSS, ResultCause.PENALTY), Credit(Result.NONE, ResultCause.PENALTY)
        return {side: lose if side in losers else nothing for side in sides}
    return {side: Credit(Result.NONE, ResultCause.VOID) for side in sides} if void else None


def _read_side(value: object, path: str, problems: ProblemCollector, *, sides: tuple[int, ...]) -> int | None:
    number = read_integer(value, path, problems, minimum=1)
    if number is None or number in sides:
        return number
    problems.add_bad_value(path, _format_unknown_side_problem(number))
    return None


def _read_losers(
    value: object, path: str, problems: ProblemCollector, *, sides: tuple[int, ...]
) -> tuple[int, ...] | None:
    numbers = read_distinct_entry_numbers(value, path, problems)
    if numbers is None:
        return None
    if not numbers:
        problems.add_bad_value(path, lazy_text("Name one side that loses, or both."))
        return None
    strangers = [(at, number) for at, number in enumerate(numbers) if number not in sides]
    for at, number in strangers:
        problems.add_bad_value(f"{path}[{at}]", _format_unknown_side_problem(number))
    return None if strangers else numbers


def _format_unknown_side_problem(number: int) -> str:
    return lazy_text("Entry %(number)s is not a side of this match.", number=number)
