"""The partner draw: entries without a partner are paired by lot, from a single pool or across pools A and B.

The partner draw uses the same sealed lots as the blind draw (`compute_draw_order`), so anybody can verify it in the
same way.

    numbers ──compute_draw_order──► order ──draw_partners──► pairs, and the entries left over

Following the drawn order, each entry without a partner gets the next drawn entry that has none. If there are two pools,
the partner comes from the other pool. A candidate is skipped only if choosing it would leave more entries unpaired than
necessary, or would needlessly reunite former partners.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from pairing.draws.order import (
    read_distinct_entry_numbers,
    read_entry_numbers,
    read_entry_pair,
    require_unique_entries,
    run_verify_draw_case,
)
from tournament.cases import FieldReader, ProblemCollector, read_object
from tournament.errors import InvalidInput
from tournament.lazy_text import lazy_text

Pair = tuple[int, int]
PartnerPools = tuple[Collection[int], Collection[int]]


@dataclass(frozen=True, slots=True)
class _DrawnPartners:
    """The result of a partner draw. The pairs are in drawn order, and the entry drawn first comes first in its pair.

    `left` are the entries left over, in drawn order. `again` are former partners who could not be kept apart.
    """

    pairs: tuple[Pair, ...]
    left: tuple[int, ...] = ()
    again: tuple[Pair, ...] = ()


def draw_partners(
    order: Sequence[int],
    *,
    pools: PartnerPools | None = None,
    same_person: Collection[Pair] = (),
    before: Collection[Pair] = (),
) -> _DrawnPartners:
    """Return the partners that follow from a drawn order. As many pairs as possible are made.

    The two entries of a `same_person` pair never become partners. Former partners (`before`) are reunited as rarely as
    possible. Pairs with entries that are not in the draw are ignored.

    >>> draw_partners([4, 1, 3, 2, 5])
    _DrawnPartners(pairs=((4, 1), (3, 2)), left=(5,), again=())
    >>> draw_partners([4, 1, 3, 2], pools=([1, 4], [2, 3])).pairs
    ((4, 3), (1, 2))
    >>> draw_partners([4, 1, 3, 2], before=[(1, 4)]).pairs
    ((4, 3), (1, 2))

    Raises:
        ValueError: an entry occurs twice in the order, is paired with itself, or is not in exactly one of the two
            pools.
    """
    if any(one == other for one, other in (*same_person, *before)):
        raise ValueError("an entry is no partner of itself")
    require_unique_entries(order)
    if pools is not None and sorted([*pools[0], *pools[1]]) != sorted(order):
        raise ValueError("each entry is in one of the two pools, and nobody else is")
    field = _PartnerCandidates(pools, same_person, before)
    waiting, pairs = list(order), []
    left: list[int] = []
    best = field.find_best_result(waiting)
    while waiting:
        first = waiting.pop(0)
        partner = field.find_partner(first, waiting, best)
        if partner is None:
            left.append(first)
            continue
        waiting.remove(partner)
        pairs.append((first, partner))
        best = (best[0] - 1, best[1] - field.were_partners(first, partner))
    return _DrawnPartners(tuple(pairs), tuple(left), tuple(pair for pair in pairs if field.were_partners(*pair)))


_BestResult = tuple[int, int]
"""The best result for the waiting entries: the number of pairs, and how many of these are former partners."""


class _PartnerCandidates:
    def __init__(self, pools: PartnerPools | None, same_person: Collection[Pair], before: Collection[Pair]) -> None:
        self.in_a = frozenset(pools[0]) if pools is not None else None
        self.same_person = frozenset(map(frozenset, same_person))
        self.before = frozenset(map(frozenset, before))
        self.not_wanted: Mapping[int, set[int]] = defaultdict(set)
        for one, other in (*same_person, *before):
            if self._are_in_different_pools(one, other):
                self.not_wanted[one].add(other)
                self.not_wanted[other].add(one)

    def _are_in_different_pools(self, one: int, other: int) -> bool:
        return self.in_a is None or (one in self.in_a) != (other in self.in_a)

    def can_pair(self, one: int, other: int) -> bool:
        return self._are_in_different_pools(one, other) and frozenset((one, other)) not in self.same_person

    def were_partners(self, one: int, other: int) -> bool:
        return frozenset((one, other)) in self.before

    def find_partner(self, first: int, waiting: Sequence[int], best: _BestResult) -> int | None:
        """Return the first waiting entry that can be the partner of `first` without a worse result for the others."""
        for other in waiting:
            if not self.can_pair(first, other):
                continue
            wanted = (best[0] - 1, best[1] - self.were_partners(first, other))
            if self.find_best_result([number for number in waiting if number != other]) == wanted:
                return other
        return None

    def find_best_result(self, waiting: Sequence[int]) -> _BestResult:
        most = len(waiting) // 2
        if self.in_a is not None:
            of_a = sum(number in self.in_a for number in waiting)
            most = min(of_a, len(waiting) - of_a)
        return (most, 0) if self._has_new_partner_for_everybody(waiting, most) else self._match_exactly(waiting)

    def _has_new_partner_for_everybody(self, waiting: Sequence[int], most: int) -> bool:
        """Return whether it is certain, without a search, that all `most` pairs can be made without former partners.

        This is certain if each entry is kept apart from only a few others. With one pool, this follows from Dirac's
        theorem: if each entry can be paired with at least half of the others, a cycle leads through all of them. With
        two pools, it follows from Hall's theorem: no entry is kept apart from more than half of the larger pool.
        """
        here = set(waiting)
        kept = max((len(self.not_wanted[one] & here) for one in waiting if one in self.not_wanted), default=0)
        if self.in_a is not None:
            return len(waiting) - most >= 2 * kept
        return kept == 0 or 2 * (len(waiting) - 1 - kept) >= len(waiting) > 2

    def _match_exactly(self, waiting: Sequence[int]) -> _BestResult:
        # Loading the library takes a moment, and most draws never need it.
        import rustworkx

        graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
        graph.add_nodes_from([None] * len(waiting))
        weights = {
            (i, j): len(waiting) + (not self.were_partners(one, other))
            for (i, one), (j, other) in combinations(enumerate(waiting), 2)
            if self.can_pair(one, other)
        }
        graph.add_edges_from([(i, j, weight) for (i, j), weight in weights.items()])
        found = rustworkx.max_weight_matching(graph, weight_fn=lambda weight: weight)
        again = sum(weights[min(pair), max(pair)] == len(waiting) for pair in found)
        return len(found), again


# --- Checking a published draw ---------------------------------------------------------------------------------------

_LOT_FIELDS: Final = ("secret", "commitment", "public", "draw_id", "numbers", "order")
"""The fields that the `verify_draw` and `verify_partners` commands have in common."""


def run_verify_partners_case(case: dict[str, Any]) -> dict[str, Any]:
    """Check that a published partner draw follows from its secret. Return an empty result if it does.

    >>> from pairing.draws.order import compute_commitment
    >>> sealed = {"secret": "00" * 32, "commitment": compute_commitment(bytes(32)), "draw_id": "singles-1"}
    >>> drawn = {"public": "7H QS 2D", "numbers": [1, 2, 3], "order": [3, 2, 1], "pairs": [[3, 2]], "left": [1]}
    >>> run_verify_partners_case({**sealed, **drawn})
    {}

    Raises:
        InvalidInput: a problem that `verify_draw` finds, `pairs-mismatch`, or a field that cannot be read.
    """
    problems = ProblemCollector()
    fields = FieldReader(case, problems)
    order = fields.read("order", read_distinct_entry_numbers)
    pools = fields.read("pools", _read_pools, None)
    same_person: list[Pair] = fields.items("same_person", read_entry_pair, default=[])
    before: list[Pair] = fields.items("before", read_entry_pair, default=[])
    pairs: list[Pair] | None = fields.items("pairs", read_entry_pair)
    nobody: tuple[int, ...] = ()
    left = fields.read("left", read_entry_numbers, nobody)
    fields.finish(known=_LOT_FIELDS)
    try:
        run_verify_draw_case({name: case[name] for name in _LOT_FIELDS if name in case})
    except InvalidInput as bad:
        known = {(problem.code, problem.path) for problem in problems.found}
        problems.found += [problem for problem in bad.problems if (problem.code, problem.path) not in known]
    if pools is not None and order is not None and sorted([*pools[0], *pools[1]]) != sorted(order):
        problems.add_bad_value(
            "pools", lazy_text("Each entry of the draw is in one of the two pools, and nobody else is.")
        )
    problems.raise_if_any()
    if order is not None and pairs is not None:
        right = draw_partners(order, pools=pools, same_person=same_person, before=before)
        _check_partners(_DrawnPartners(tuple(pairs), tuple(left)), right, problems)
    problems.raise_if_any()
    return {}


def _check_partners(found: _DrawnPartners, right: _DrawnPartners, problems: ProblemCollector) -> None:
    if found.pairs != right.pairs:
        problems.add("pairs-mismatch", "pairs", _describe_first_wrong_pair(found.pairs, right.pairs))
    elif found.left != right.left:
        names = ", ".join(map(str, right.left)) or lazy_text("nobody")
        problems.add(
            "pairs-mismatch",
            "left",
            lazy_text("These are not those who were left over: it should be %(names)s.", names=names),
        )


def _describe_first_wrong_pair(found: Sequence[Pair], right: Sequence[Pair]) -> str:
    if len(found) != len(right):
        return lazy_text("There are %(found)s pairs, but %(right)s were drawn.", found=len(found), right=len(right))
    place = next(index for index, (one, other) in enumerate(zip(found, right, strict=True)) if one != other)
    one, other = right[place]
    return lazy_text(
        "These are not the pairs that were drawn: pair %(place)s should be entries %(one)s and %(other)s.",
        place=place + 1,
        one=one,
        other=other,
    )


def _read_pools(value: object, path: str, problems: ProblemCollector) -> PartnerPools | None:
    """Read `{"A": numbers, "B": numbers}`. The caller checks that each entry is in exactly one pool."""
    pools = read_object(value, path, problems)
    if pools is None:
        return None
    fields = FieldReader(pools, problems, path)
    of_a, of_b = fields.read("A", read_distinct_entry_numbers), fields.read("B", read_distinct_entry_numbers)
    fields.finish()
    return None if of_a is None or of_b is None else (of_a, of_b)
