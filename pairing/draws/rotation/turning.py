"""Two sides that turn against each other: who stands on which, and whether they fit together.

"Guys on one side of the table, girls on the other side. Girls rotate one spot after every round so that all the girls
get to play all the guys" (Gin Rummy – Tournament Rules, the seed book); in Court Whist "each set of partners will
include one lady and one man". The rounds are `schedule.rotation` and `whist_rounds`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tournament.cases import Fields, Problems, read_text
from tournament.said import worded

LONGEST_NAME: Final = 40
LEFT: Final = "left"
RIGHT: Final = "right"
MOST_SIT_OUT: Final = 3
"""In Court Whist: one more would be a table."""

Names = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TurningTerms:
    """`sides` are the names of the left side, which keeps its seats in a rotation, and of the right one."""

    sides: Names

    def as_json(self) -> dict[str, Any]:
        return {"sides": list(self.sides)}


def rotation_terms(options: Mapping[str, Any], *, usual: Names) -> TurningTerms:
    """The options of an event, read strictly; the sides have their `usual` names where none are given.

    >>> rotation_terms({}, usual=("Guys", "Girls")).sides
    ('Guys', 'Girls')

    Raises:
        BadCase: an option that is not known, or names that are no two different ones.
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
    """The entry numbers of both sides in the drawn order."""

    left: tuple[int, ...]
    right: tuple[int, ...]


def split(order: Sequence[int], sides: Mapping[int, str]) -> TwoSides:
    """The drawn order, side by side; who is on neither is left out.

    >>> split([4, 1, 3, 2], {1: "left", 2: "right", 3: "right", 4: "left"})
    TwoSides(left=(4, 1), right=(3, 2))
    """
    return TwoSides(
        tuple(number for number in order if sides.get(number) == LEFT),
        tuple(number for number in order if sides.get(number) == RIGHT),
    )


def why_no_rotation(left: int, right: int, names: Names) -> str:
    """Why so many cannot play couples, and what to do; empty where they can.

    >>> why_no_rotation(4, 4, ("Guys", "Girls"))
    ''
    >>> why_no_rotation(4, 5, ("Guys", "Girls"))
    '4 Guys and 5 Girls: one of the Girls is too many. Leave one of the Girls out, or enter one more of the Guys.'
    >>> why_no_rotation(6, 4, ("Guys", "Girls"))
    '6 Guys and 4 Girls: 2 of the Guys are too many. Move one of the Guys to the other side, or leave 2 out.'
    """
    counted = worded(
        "%(left)s %(name)s and %(right)s %(name_2)s", left=left, name=names[0], right=right, name_2=names[1]
    )
    if min(left, right) == 0:
        return worded("%(counted)s: both sides need somebody to play against.", counted=counted)
    more = abs(left - right)
    if not more:
        return ""
    many, few = names if left > right else names[::-1]
    if more % 2:
        said = worded("one of the {0} is") if more == 1 else worded("%(more)s of the {0} are", more=more)
        out, enter = ("one", worded("one more")) if more == 1 else (str(more), worded("%(more)s more", more=more))
        return worded(
            "%(counted)s: %(many)s too many. Leave %(out)s of the %(many_2)s out, or enter %(enter)s of the %(few)s.",
            counted=counted,
            many=said.format(many),
            out=out,
            many_2=many,
            enter=enter,
            few=few,
        )
    moved = "one" if more == 2 else str(more // 2)
    way = worded(
        "Move %(moved)s of the %(many)s to the other side, or leave %(more)s out.", moved=moved, many=many, more=more
    )
    return worded(
        "%(counted)s: %(more)s of the %(many)s are too many. %(way)s", counted=counted, more=more, many=many, way=way
    )


def whist_tables(left: int, right: int) -> int:
    """How many tables of two and two there are for so many."""
    return min(left // 2, right // 2)


def why_no_whist(left: int, right: int, names: Names) -> str:
    """Why so many cannot play Court Whist, and what to do; empty where they can: up to three sit out each game.

    >>> why_no_whist(5, 5, ("Gentlemen", "Ladies"))
    ''
    >>> why_no_whist(7, 3, ("Gentlemen", "Ladies"))
    '7 Gentlemen and 3 Ladies make one table, and 6 would sit out each game; 3 at most do. Move some of the \
Gentlemen to the other side, or leave them out.'
    """
    tables = whist_tables(left, right)
    counted = worded(
        "%(left)s %(name)s and %(right)s %(name_2)s", left=left, name=names[0], right=right, name_2=names[1]
    )
    if not tables:
        return worded("%(counted)s: a table needs two of each side.", counted=counted)
    out = left + right - 4 * tables
    if out <= MOST_SIT_OUT:
        return ""
    many = names[0] if left > right else names[1]
    made = worded("one table") if tables == 1 else worded("%(tables)s tables", tables=tables)
    return worded(
        "%(counted)s make %(made)s, and %(out)s would sit out each game; %(most_sit_out)s at most "
        "do. Move some of the %(many)s to the other side, or leave them out.",
        counted=counted,
        made=made,
        out=out,
        most_sit_out=MOST_SIT_OUT,
        many=many,
    )
