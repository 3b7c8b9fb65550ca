"""The verdict on two hands in words; no database."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.disputes.tables.hands import HandShown, HandsShown

HAND = HandShown("Ann", [], [], 3, [])


def shown(**known: Any) -> HandsShown:
    usual: dict[str, Any] = {"legal": True, "verdict": "", "other": None}
    empty: dict[str, Any] = {"why_legal": "", "explanation": "", "refused": [], "totals": [], "discards": [], "up": ""}
    return HandsShown(word="knock", first=HAND, **{**usual, **empty, **known})


def test_the_head_says_who_scores_or_why_nobody_can_say() -> None:
    assert shown(verdict="27 to Ann", other=HAND).head == "27 to Ann"
    assert shown(other=HAND).head == "It cannot be recorded this way"
    assert shown().head == "Ann: knock"


@pytest.mark.parametrize(
    ("legal", "word", "badge"),
    [
        (True, "Knock, legal", ("legal", "good")),
        (False, "Knock, not legal", ("not-legal", "bad")),
        (None, "Cannot be decided", ("open", "wait")),
    ],
)
def test_whether_it_is_legal(legal: bool | None, word: str, badge: tuple[str, str]) -> None:
    hands = shown(legal=legal)
    assert (hands.legal_word, hands.badge) == (word, badge)
