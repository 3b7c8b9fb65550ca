"""The draw of partners, compared with every way to pair up to eight players."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.order import compute_commitment, compute_draw_order
from pairing.draws.partners import Pair, PartnerPools, draw_partners, run_verify_partners_case
from tests.chance import examples
from tournament.errors import InvalidInput

CASES = json.loads((Path(__file__).parents[1] / "golden/partners.json").read_text())["cases"]


def all_ways(order: list[int], may: set[Pair]) -> list[list[Pair]]:
    """Return every way to pair some of the players, in the order of the draw."""
    if not order:
        return [[]]
    first, *others = order
    ways = all_ways(others, may)
    for other in others:
        if (first, other) in may:
            rest = [number for number in others if number != other]
            ways += [[(first, other), *way] for way in all_ways(rest, may)]
    return ways


@st.composite
def fields(draw: st.DrawFn, most: int = 8) -> tuple[list[int], PartnerPools | None, set[Pair], set[Pair]]:
    order = draw(st.permutations(range(1, draw(st.integers(0, most)) + 1)))
    pools: PartnerPools | None = None
    if draw(st.booleans()):
        of_a = draw(st.sets(st.sampled_from(order))) if order else set()
        pools = (of_a, set(order) - of_a)
    everybody = list(combinations(sorted(order), 2))
    some = st.sets(st.sampled_from(everybody)) if everybody else st.just(set())
    return order, pools, draw(some), draw(some)


@settings(max_examples=examples(200), deadline=None)
@given(fields())
def test_most_pairs_then_fewest_of_before_then_the_earliest_drawn(
    field: tuple[list[int], PartnerPools | None, set[Pair], set[Pair]],
) -> None:
    order, pools, same_person, earlier = field
    found = draw_partners(order, pools=pools, same_person=same_person, before=earlier)
    turn = {number: place for place, number in enumerate(order)}
    same = {frozenset(pair) for pair in same_person}
    before = {frozenset(pair) for pair in earlier}
    may = {
        (one, other)
        for one, other in combinations(order, 2)
        if frozenset((one, other)) not in same and (pools is None or (one in pools[0]) != (other in pools[0]))
    }

    def cost(way: list[Pair]) -> tuple[int, int, list[tuple[int, int]]]:
        again = sum(frozenset(pair) in before for pair in way)
        partners = {turn[one]: turn[other] for one, other in way}
        # One drawn first and left over waits for nobody: they come after every partner they could have had.
        turns = [(place, partners.get(place, len(order))) for place in sorted(partners)]
        return -len(way), again, turns

    best = min(all_ways(list(order), may), key=cost)
    assert list(found.pairs) == best
    assert sorted([*found.left, *(number for pair in found.pairs for number in pair)]) == sorted(order)
    assert list(found.left) == [number for number in order if number in found.left]
    assert [frozenset(pair) for pair in found.again] == [frozenset(pair) for pair in best if frozenset(pair) in before]


@given(st.permutations(range(1, 41)), st.integers(0, 39))
def test_without_restrictions_neighbors_are_partners(order: list[int], cut: int) -> None:
    taken = order[: cut + 1]
    found = draw_partners(taken)
    assert found.pairs == tuple(zip(taken[::2], taken[1::2], strict=False))
    assert found.left == (() if len(taken) % 2 == 0 else (taken[-1],))


@given(st.permutations(range(1, 31)), st.integers(0, 30))
def test_of_two_pools_the_nth_of_one_meets_the_nth_of_the_other(order: list[int], cut: int) -> None:
    of_a = [number for number in order if number <= cut]
    of_b = [number for number in order if number > cut]
    found = draw_partners(order, pools=(of_a, of_b))
    together = {frozenset(pair) for pair in zip(of_a, of_b, strict=False)}
    assert {frozenset(pair) for pair in found.pairs} == together
    longer = max(of_a, of_b, key=len)
    assert found.left == tuple(longer[len(together) :])


def test_a_large_pool_with_partners_of_before_is_drawn_without_any_of_them_again() -> None:
    order = list(range(1, 301))
    before = [(number, number + 1) for number in range(1, 300, 2)]
    found = draw_partners(order, before=before)
    assert len(found.pairs) == 150
    assert found.again == ()
    assert found.pairs[:2] == ((1, 3), (2, 4))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_golden_draw_of_partners(case: dict) -> None:
    secret = bytes.fromhex(case["secret"])
    assert compute_commitment(secret) == case["commitment"]
    order = compute_draw_order(case["numbers"], secret=secret, public=case["public"], draw_id=case["draw_id"])
    assert list(order) == case["order"]
    pools = (case["pools"]["A"], case["pools"]["B"]) if "pools" in case else None
    pairs = [tuple(pair) for pair in case.get("before", [])]
    same = [tuple(pair) for pair in case.get("same_person", [])]
    found = draw_partners(order, pools=pools, same_person=same, before=pairs)
    assert [list(pair) for pair in found.pairs] == case["pairs"]
    assert list(found.left) == case["left"]
    assert run_verify_partners_case({name: value for name, value in case.items() if name != "name"}) == {}


@pytest.mark.parametrize("pools", [([1, 2], [3]), ([1, 2], [2, 3, 4]), ([1, 2], [3, 4, 5])])
def test_everybody_is_in_one_of_the_two_pools(pools: PartnerPools) -> None:
    with pytest.raises(ValueError, match="one of the two pools"):
        draw_partners([1, 2, 3, 4], pools=pools)


def test_nobody_is_their_own_partner() -> None:
    with pytest.raises(ValueError, match="itself"):
        draw_partners([1, 3], same_person=[(3, 3)])


def test_restrictions_decide_who_is_left_over() -> None:
    found = draw_partners([2, 1, 3], same_person=[(2, 1), (2, 3)])
    assert (found.pairs, found.left, found.again) == (((1, 3),), (2,), ())


def codes(**changed: object) -> list[tuple[str, str]]:
    case = {name: value for name, value in CASES[0].items() if name != "name"}
    with pytest.raises(InvalidInput) as refused:
        run_verify_partners_case({**case, **changed})
    return [(problem.code, problem.path) for problem in refused.value.problems]


def test_a_changed_record_is_found_out() -> None:
    pairs = CASES[0]["pairs"]
    assert codes(pairs=[pairs[1], pairs[0], *pairs[2:]]) == [("pairs-mismatch", "pairs")]
    assert codes(pairs=pairs[:-1]) == [("pairs-mismatch", "pairs")]
    assert codes(left=[]) == [("pairs-mismatch", "left")]
    assert codes(commitment="0" * 64) == [("commitment-mismatch", "commitment")]
    assert codes(public="2C") == [("order-mismatch", "order")]
    assert codes(pools={"A": [1], "B": [2]}) == [("bad-value", "pools")]


def test_invalid_records_are_refused_with_paths() -> None:
    assert codes(pairs=[[1, 1]]) == [("bad-value", "pairs[0][1]")]
    assert codes(wrong=1) == [("unknown-field", "wrong")]
    assert codes(order=[1, "x"]) == [("bad-value", "order[1]")]
    assert codes(pools={"A": [1]}) == [("missing-field", "pools.B")]
