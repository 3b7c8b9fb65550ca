"""Check a published draw of partners: the seal, the order of the lots, and the pairs that follow from it."""

from collections.abc import Sequence
from typing import Any, Final

from pairing.draws.order.blind import answer_verify_draw
from pairing.draws.order.entries import read_numbers, read_numbers_once, read_pair
from pairing.draws.order.partners import DrawnPartners, NotTogether, Pair, Pools, draw_partners
from tournament.cases import Fields, Problems, read_object
from tournament.errors import BadCase
from tournament.said import worded

OF_THE_LOTS: Final = ("secret", "commitment", "public", "draw_id", "numbers", "order")
"""The fields that `verify_draw` takes as well."""


def answer_verify_partners(case: dict[str, Any]) -> dict[str, Any]:
    """Check that a published draw of partners follows from its secret. The answer is empty if it does.

    >>> from pairing.draws.order.blind import commitment_to
    >>> sealed = {"secret": "00" * 32, "commitment": commitment_to(bytes(32)), "draw_id": "singles-1"}
    >>> drawn = {"public": "7H QS 2D", "numbers": [1, 2, 3], "order": [3, 2, 1], "pairs": [[3, 2]], "left": [1]}
    >>> answer_verify_partners({**sealed, **drawn})
    {}

    Raises:
        BadCase: a problem that `verify_draw` finds, `pairs-mismatch`, or a field that cannot be read.
    """
    problems = Problems()
    fields = Fields(case, problems)
    order = fields.read("order", read_numbers_once)
    pools = fields.read("pools", _read_pools, None)
    same_person: list[Pair] = fields.items("same_person", read_pair, default=[])
    before: list[Pair] = fields.items("before", read_pair, default=[])
    pairs: list[Pair] | None = fields.items("pairs", read_pair)
    nobody: tuple[int, ...] = ()
    left = fields.read("left", read_numbers, nobody)
    fields.finish(known=OF_THE_LOTS)
    try:
        answer_verify_draw({name: case[name] for name in OF_THE_LOTS if name in case})
    except BadCase as bad:
        known = {(problem.code, problem.path) for problem in problems.found}
        problems.found += [problem for problem in bad.problems if (problem.code, problem.path) not in known]
    if pools is not None and order is not None and sorted([*pools[0], *pools[1]]) != sorted(order):
        problems.bad("pools", worded("Each entry of the draw is in one of the two pools, and nobody else is."))
    problems.check()
    if order is not None and pairs is not None:
        right = draw_partners(order, pools=pools, apart=NotTogether(same_person, before))
        _compare(DrawnPartners(tuple(pairs), tuple(left)), right, problems)
    problems.check()
    return {}


def _compare(found: DrawnPartners, right: DrawnPartners, problems: Problems) -> None:
    if found.pairs != right.pairs:
        problems.add("pairs-mismatch", "pairs", _first_difference(found.pairs, right.pairs))
    elif found.left != right.left:
        names = ", ".join(map(str, right.left)) or worded("nobody")
        problems.add(
            "pairs-mismatch",
            "left",
            worded("These are not those who were left over: it should be %(names)s.", names=names),
        )


def _first_difference(found: Sequence[Pair], right: Sequence[Pair]) -> str:
    if len(found) != len(right):
        return worded("There are %(found)s pairs, but %(right)s were drawn.", found=len(found), right=len(right))
    place = next(index for index, (one, other) in enumerate(zip(found, right, strict=True)) if one != other)
    one, other = right[place]
    return worded(
        "These are not the pairs that were drawn: pair %(place)s should be entries %(one)s and %(other)s.",
        place=place + 1,
        one=one,
        other=other,
    )


def _read_pools(value: object, path: str, problems: Problems) -> Pools | None:
    """Read `{"A": numbers, "B": numbers}`. The caller checks that each entry is in one of the two."""
    pools = read_object(value, path, problems)
    if pools is None:
        return None
    fields = Fields(pools, problems, path)
    of_a, of_b = fields.read("A", read_numbers_once), fields.read("B", read_numbers_once)
    fields.finish()
    return None if of_a is None or of_b is None else (of_a, of_b)
