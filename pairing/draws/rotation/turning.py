"""The two sides of couples in rotation and of Court Whist: who is on which side, and whether the numbers fit.

"Guys on one side of the table, girls on the other side. Girls rotate one spot after every round so that all the girls
get to play all the guys" (Gin Rummy – Tournament Rules, the seed book). In Court Whist, "each set of partners will
include one lady and one man". The rounds are in `schedule.rotation` and `whist_rounds`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tournament.cases import Fields, Problems, read_text
from tournament.said import joined, worded, worded_plural

LONGEST_NAME: Final = 40
LEFT: Final = "left"
RIGHT: Final = "right"
MOST_SIT_OUT: Final = 3
"""The most players who sit out a game of Court Whist. With four they would make another table."""

Names = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TurningTerms:
    """The names of the two sides: the left side, which keeps its seats in a rotation, and the right side."""

    sides: Names

    def as_json(self) -> dict[str, Any]:
        return {"sides": list(self.sides)}


def rotation_terms(options: Mapping[str, Any], *, usual: Names) -> TurningTerms:
    """Read the options of an event strictly. The sides have their `usual` names if none are given.

    >>> rotation_terms({}, usual=("Guys", "Girls")).sides
    ('Guys', 'Girls')

    Raises:
        BadCase: an option is unknown, or the names are not two different ones.
    """
    problems = Problems()
    fields = Fields(dict(options), problems)
    before = len(problems.found)
    names = fields.items("sides", _read_name, default=list(usual))
    if (len(problems.found) == before and len({name.casefold() for name in names}) != 2) or len(names) > 2:
        problems.bad("sides", worded("Two sides have two names, which are not the same."))
    fields.finish()
    problems.check()
    return TurningTerms((names[0], names[1]))


def _read_name(value: Any, path: str, problems: Problems) -> str | None:
    text = read_text(value, path, problems, longest=LONGEST_NAME)
    if text is not None and not text.strip():
        problems.bad(path, worded("A side has a name."))
        return None
    return None if text is None else text.strip()


@dataclass(frozen=True, slots=True)
class TwoSides:
    """The entry numbers of both sides, in the drawn order."""

    left: tuple[int, ...]
    right: tuple[int, ...]


def split(order: Sequence[int], sides: Mapping[int, str]) -> TwoSides:
    """Split the drawn order into the two sides. Entries on neither side are left out.

    >>> split([4, 1, 3, 2], {1: "left", 2: "right", 3: "right", 4: "left"})
    TwoSides(left=(4, 1), right=(3, 2))
    """
    return TwoSides(
        tuple(number for number in order if sides.get(number) == LEFT),
        tuple(number for number in order if sides.get(number) == RIGHT),
    )


def why_no_rotation(left: int, right: int, names: Names) -> str:
    """Return why these numbers cannot play couples and what to do, or an empty string if they can.

    >>> why_no_rotation(4, 4, ("Guys", "Girls"))
    ''
    >>> why_no_rotation(4, 5, ("Guys", "Girls"))
    '4 Guys and 5 Girls: 1 of the Girls is too many. Leave 1 of the Girls out, or enter 1 more of the Guys.'
    >>> why_no_rotation(6, 4, ("Guys", "Girls"))
    '6 Guys and 4 Girls: 2 of the Guys are too many. Move 1 of the Guys to the other side, or leave 2 out.'
    """
    counted = _both(left, right, names)
    if min(left, right) == 0:
        return worded("%(counted)s: both sides need somebody to play against.", counted=counted)
    more = abs(left - right)
    if not more:
        return ""
    many, few = names if left > right else names[::-1]
    too_many = worded_plural(
        "%(counted)s: %(number)s of the %(many)s is too many.",
        "%(counted)s: %(number)s of the %(many)s are too many.",
        more,
        counted=counted,
        many=many,
    )
    if more % 2:
        way = worded(
            "Leave %(more)s of the %(many)s out, or enter %(more)s more of the %(few)s.", more=more, many=many, few=few
        )
    else:
        way = worded(
            "Move %(moved)s of the %(many)s to the other side, or leave %(more)s out.",
            moved=more // 2,
            many=many,
            more=more,
        )
    return joined(" ", [too_many, way])


def _both(left: int, right: int, names: Names) -> str:
    """Return the numbers in words, such as “4 Guys and 5 Girls”."""
    return worded("%(left)s %(one)s and %(right)s %(other)s", left=left, one=names[0], right=right, other=names[1])


def whist_tables(left: int, right: int) -> int:
    """Return how many tables of two and two the sides make."""
    return min(left // 2, right // 2)


def why_no_whist(left: int, right: int, names: Names) -> str:
    """Return why these numbers cannot play Court Whist and what to do, or an empty string if they can.

    Up to three players sit out each game.

    >>> why_no_whist(5, 5, ("Gentlemen", "Ladies"))
    ''
    >>> why_no_whist(7, 3, ("Gentlemen", "Ladies"))
    '7 Gentlemen and 3 Ladies make 1 table, and 6 would sit out each game; 3 at most do. Move some of the \
Gentlemen to the other side, or leave them out.'
    """
    tables = whist_tables(left, right)
    counted = _both(left, right, names)
    if not tables:
        return worded("%(counted)s: a table needs two of each side.", counted=counted)
    out = left + right - 4 * tables
    if out <= MOST_SIT_OUT:
        return ""
    many = names[0] if left > right else names[1]
    return worded_plural(
        "%(counted)s make %(number)s table, and %(out)s would sit out each game; %(most_sit_out)s at most "
        "do. Move some of the %(many)s to the other side, or leave them out.",
        "%(counted)s make %(number)s tables, and %(out)s would sit out each game; %(most_sit_out)s at most "
        "do. Move some of the %(many)s to the other side, or leave them out.",
        tables,
        counted=counted,
        out=out,
        most_sit_out=MOST_SIT_OUT,
        many=many,
    )
