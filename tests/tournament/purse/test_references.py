from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tournament.purse.fees import find_payment_references, make_payment_reference

NUMBERS = st.integers(0, 99_999_999)
PLACES = st.integers(0, 9)


@given(NUMBERS, st.sampled_from([" ", "", "-", ".", "\n"]))
def test_a_reference_is_found_with_any_spacing(number: int, between: str) -> None:
    written = make_payment_reference(number).lower().replace(" ", between)
    assert find_payment_references(f"Fee, {written} thanks 2026") == (number,)


@given(NUMBERS, PLACES, st.integers(1, 9))
def test_a_wrong_digit_is_detected(number: int, place: int, off: int) -> None:
    figures = [int(sign) for sign in make_payment_reference(number)[2:] if sign != " "]
    figures[place] = (figures[place] + off) % 10
    assert find_payment_references("RF" + "".join(map(str, figures))) == ()


@given(NUMBERS, st.integers(0, 8))
def test_swapped_digits_are_detected(number: int, place: int) -> None:
    figures = [sign for sign in make_payment_reference(number)[2:] if sign != " "]
    turned = [*figures]
    turned[place], turned[place + 1] = turned[place + 1], turned[place]
    if turned != figures:
        assert find_payment_references("RF" + "".join(turned)) == ()
