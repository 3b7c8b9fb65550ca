from __future__ import annotations

from typing import Any

import pytest

from pairing.blind_draw.console import CutForm


def cut(**typed: Any) -> CutForm:
    return CutForm({"key": "k", **typed})


def test_cards_stand_in_the_order_of_the_taps() -> None:
    form = cut(cards=["TD", "7H", "QS"], tapped="7H QS TD")
    assert form.is_valid() and form.cleaned_data["public"] == "7H QS 10D"


def test_without_that_order_they_stand_as_in_the_pack() -> None:
    form = cut(cards=["TD", "7H"], tapped="7H QS")
    assert form.is_valid() and form.cleaned_data["public"] == "10D 7H"


def test_something_else_is_taken_as_it_was_typed() -> None:
    form = cut(public="heads, tails, heads")
    assert form.is_valid() and form.cleaned_data["public"] == "heads, tails, heads"
    assert cut(nobody_cut="on").is_valid()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({}, "No card is picked. Tap the cards that were cut."),
        ({"cards": ["7H"], "public": "heads"}, "Cards are picked, and something else is entered."),
        ({"cards": ["7H"], "nobody_cut": "on"}, "Cards are picked, and something else is entered."),
    ],
)
def test_nothing_and_both_are_refused(typed: dict[str, Any], said: str) -> None:
    assert said in str(cut(**typed).errors)
