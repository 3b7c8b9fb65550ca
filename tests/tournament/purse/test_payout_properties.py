"""Check that random payouts keep the rules for prizes, and that a second, independent calculation agrees with them."""

import math
import random
from fractions import Fraction
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.chance import examples
from tournament.purse.cases import run_payout_case

CENTS = st.integers(0, 500_00)


@st.composite
def percents(draw: st.DrawFn) -> list[str]:
    """Draw up to ten percents that add up to 100, as text with 0 to 12 decimals."""
    decimals = draw(st.integers(0, 12))
    whole = 100 * 10**decimals
    cuts = sorted(draw(st.lists(st.integers(0, whole), max_size=9)))
    parts = [high - low for low, high in zip([0, *cuts], [*cuts, whole], strict=True)]
    return [written(part, decimals) for part in parts]


def written(value: int, decimals: int) -> str:
    digits = str(value).rjust(decimals + 1, "0")
    return f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits


@st.composite
def finishes(draw: st.DrawFn) -> list[list[int]]:
    entries = draw(st.lists(st.integers(1, 10_000), min_size=1, max_size=16, unique=True))
    groups: list[list[int]] = []
    while entries:
        size = draw(st.sampled_from([1, 1, 1, 2, 3, 4, 8]))
        groups.append(entries[:size])
        entries = entries[size:]
    return groups


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    optional = {
        "prize_percent": st.sampled_from(["82", "100", "0", "82.5", "33.3333333", "0.01"]),
        "unit_cents": st.sampled_from([1, 3, 25, 100, 500, 10_000, 99_999_999]),
        "discounts_cents": CENTS,
        "added_cents": CENTS,
        "guarantee_cents": st.integers(0, 5_000_00),
    }
    case = draw(st.fixed_dictionaries({"fees_cents": st.lists(CENTS, max_size=20)}, optional=optional))
    return {**case, "scale": draw(percents()), "finish": draw(finishes())}


def expected(case: dict[str, Any]) -> dict[str, Any]:
    """Compute the answer to a payout case without the program's code, using fractions and one money unit at a time."""
    collected = sum(case["fees_cents"])
    exact = (collected + case.get("discounts_cents", 0)) * Fraction(case.get("prize_percent", "82")) / 100
    from_fees = math.floor(exact + Fraction(1, 2))
    pool = max(from_fees + case.get("added_cents", 0), case.get("guarantee_cents", 0))
    places = expected_places(pool, case["scale"], case.get("unit_cents", 100))
    finishers = sum(map(len, case["finish"]))
    places[0] += sum(places[finishers:])
    places = places[:finishers]
    answer = {
        "collected_cents": collected,
        "pool_cents": pool,
        "expenses_cents": collected - from_fees,
        "places_cents": places,
        "awards_cents": expected_awards(places, case["finish"]),
    }
    if "guarantee_cents" in case:
        answer["subsidy_cents"] = pool - from_fees - case.get("added_cents", 0)
    return answer


def expected_places(pool: int, scale: list[str], unit: int) -> list[int]:
    exact = [pool * Fraction(percent) / 100 for percent in scale]
    places = [math.floor(share / unit) * unit for share in exact]
    waiting = list(range(len(scale)))
    while pool - sum(places) >= unit:
        place = max(waiting, key=lambda place: (exact[place] - places[place], -place))
        waiting.remove(place)
        places[place] += unit
    places[0] += pool - sum(places)
    return places


def expected_awards(places: list[int], finish: list[list[int]]) -> dict[str, int]:
    awards = {}
    ahead = 0
    for group in finish:
        money = sum(places[ahead : ahead + len(group)])
        for turn, entry in enumerate(sorted(group)):
            awards[str(entry)] = -((turn - money) // len(group))
        ahead += len(group)
    return {entry: cents for entry, cents in awards.items() if cents}


@settings(max_examples=examples(300), deadline=None)
@given(cases())
def test_the_answer_is_that_of_a_second_calculation(case: dict[str, Any]) -> None:
    assert run_payout_case(case) == expected(case)


@settings(max_examples=examples(150), deadline=None)
@given(cases())
def test_every_cent_comes_from_somewhere_and_goes_to_somebody(case: dict[str, Any]) -> None:
    answer = run_payout_case(case)
    put_in = case.get("added_cents", 0) + answer.get("subsidy_cents", 0)
    assert answer["collected_cents"] + put_in == answer["pool_cents"] + answer["expenses_cents"]
    assert sum(answer["places_cents"]) == answer["pool_cents"]
    assert sum(answer["awards_cents"].values()) == answer["pool_cents"]
    assert min(answer["awards_cents"].values(), default=1) > 0
    assert answer["expenses_cents"] >= -case.get("discounts_cents", 0)


@settings(max_examples=examples(150), deadline=None)
@given(cases())
def test_a_discount_costs_the_players_nothing(case: dict[str, Any]) -> None:
    """The prizes are the same as if everybody had paid in full."""
    discounts = case.pop("discounts_cents", 0)
    let_off = run_payout_case({**case, "discounts_cents": discounts})
    in_whole = run_payout_case({**case, "fees_cents": [*case["fees_cents"], discounts]})
    assert let_off["places_cents"] == in_whole["places_cents"]
    assert let_off["awards_cents"] == in_whole["awards_cents"]
    assert let_off["expenses_cents"] == in_whole["expenses_cents"] - discounts


@settings(max_examples=examples(150), deadline=None)
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_fees_and_of_tied_entries_does_not_matter(case: dict[str, Any], shuffler: random.Random) -> None:
    groups = [shuffler.sample(group, len(group)) for group in case["finish"]]
    fees = shuffler.sample(case["fees_cents"], len(case["fees_cents"]))
    assert run_payout_case({**case, "fees_cents": fees, "finish": groups}) == run_payout_case(case)


@settings(max_examples=examples(150), deadline=None)
@given(cases())
def test_ties_share_to_within_a_cent_and_the_lower_number_never_gets_less(case: dict[str, Any]) -> None:
    awards = run_payout_case(case)["awards_cents"]
    for group in case["finish"]:
        shares = [awards.get(str(entry), 0) for entry in sorted(group)]
        assert shares == sorted(shares, reverse=True)
        assert shares[0] - shares[-1] <= 1


@settings(max_examples=examples(150), deadline=None)
@given(cases())
def test_descending_percents_give_descending_places(case: dict[str, Any]) -> None:
    falling = sorted(case["scale"], key=Fraction, reverse=True)
    answer = run_payout_case({**case, "scale": falling})
    assert answer["places_cents"] == sorted(answer["places_cents"], reverse=True)
    best = [max(answer["awards_cents"].get(str(entry), 0) for entry in group) for group in case["finish"]]
    least = [min(answer["awards_cents"].get(str(entry), 0) for entry in group) for group in case["finish"]]
    assert all(ahead >= behind for ahead, behind in zip(least, best[1:], strict=False))


@settings(max_examples=examples(150), deadline=None)
@given(cases())
def test_each_place_but_the_first_is_within_a_unit_of_its_percent(case: dict[str, Any]) -> None:
    everybody = [[number] for number in range(1, len(case["scale"]) + 1)]
    answer = run_payout_case({**case, "finish": everybody})
    unit = case.get("unit_cents", 100)
    for percent, cents in list(zip(case["scale"], answer["places_cents"], strict=True))[1:]:
        assert cents % unit == 0
        assert abs(cents - answer["pool_cents"] * Fraction(percent) / 100) < unit


@settings(max_examples=examples(150), deadline=None)
@given(cases(), st.lists(CENTS, min_size=1, max_size=8))
def test_flat_amounts_are_paid_as_written_and_the_rest_goes_to_first(case: dict[str, Any], amounts: list[int]) -> None:
    del case["scale"]
    everybody = [[number] for number in range(1, len(amounts) + 1)]
    case = {**case, "flat_cents": amounts, "finish": everybody, "guarantee_cents": sum(amounts)}
    answer = run_payout_case(case)
    assert answer["places_cents"][1:] == amounts[1:]
    assert answer["places_cents"][0] == amounts[0] + answer["pool_cents"] - sum(amounts)


@settings(max_examples=examples(100), deadline=None)
@given(cases(), st.integers(0, 15))
def test_entries_without_a_prize_need_not_be_listed(case: dict[str, Any], extra: int) -> None:
    finishers = sum(map(len, case["finish"]))
    assume(finishers >= len(case["scale"]))
    others = [[20_000 + number] for number in range(extra)]
    assert run_payout_case({**case, "finish": case["finish"] + others}) == run_payout_case(case)
