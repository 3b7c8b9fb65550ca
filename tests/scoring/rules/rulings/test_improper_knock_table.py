"""Every improper knock is tested, with all up cards, counts, and answers of the opponent.

Each fact can also be unknown.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from scoring.rules.rulings.adjudicate import run_adjudicate_case
from tests.scoring.rules.sheet.sheet_strategies import RANKS, pip_value

COUNTS = [*range(13), 25, 98]
ANSWERS = [True, False, None]
Said = tuple[str | None, dict[str, int], bool]


def by_the_rule(limit: int, count: int, other: int, accepts: bool | None) -> Said:
    """Return the ruling, the points, and whether B has a choice after a knock by A.

    This follows the words of the rule, and does not use the program's code.
    """
    if count <= limit:
        worth = {"A": other - count} if count < other else {"B": count - other + 25}
        return "proper", worth, False
    if other > limit or accepts is False:
        return "play-open", {}, False
    if accepts:
        return "accepted-as-undercut", {"B": count - other + 25}, False
    return None, {}, True


def asked(facts: dict[str, Any], **options: Any) -> dict[str, Any]:
    return run_adjudicate_case({"rules": "gra-singles", "kind": "improper-knock", "facts": facts, "options": options})


def said(answer: dict[str, Any]) -> Said:
    return answer["ruling"], answer["points"], bool(answer["choices"])


@pytest.mark.parametrize("up", [rank + suit for rank, suit in zip(RANKS, "CDHSCDHSCDHSC", strict=True)])
@pytest.mark.parametrize("ace", ["gin", "one"])
def test_every_improper_knock(up: str, ace: str) -> None:
    limit = 0 if up[0] == "A" and ace == "gin" else pip_value(up)
    for count, other, accepts in product(COUNTS, COUNTS, ANSWERS):
        facts = {"up": up, "by": "A", "count": count, "opponent_count": other, "opponent_accepts": accepts}
        expected = by_the_rule(limit, count, other, accepts)
        if up[0] == "A" and ace == "gin" and count == 0:
            expected = ("proper", {"A": other + 25}, False)  # all the cards are matched: gin
        assert said(asked(facts, ace=ace)) == expected, facts


@pytest.mark.parametrize("left_out", ["up", "count", "opponent_count", "opponent_accepts"])
@pytest.mark.parametrize("limit", [2, 8, 10])
def test_without_a_fact_the_ruling_is_the_one_that_all_its_values_give(left_out: str, limit: int) -> None:
    ups = [f"{rank}H" for rank in RANKS]
    own_up = "TH" if limit == 10 else f"{limit}H"
    values: dict[str, list[Any]] = {
        "up": ups, "count": COUNTS, "opponent_count": COUNTS, "opponent_accepts": [True, False],
    }  # fmt: skip
    for count, other, accepts in product([0, 2, 8, 9, 10, 11], [0, 2, 8, 9, 10, 11], [True, False]):
        facts = {"up": own_up, "by": "A", "count": count, "opponent_count": other, "opponent_accepts": accepts}
        possible = {asked({**facts, left_out: value})["ruling"] for value in values[left_out]}
        del facts[left_out]
        ruling = asked(facts)["ruling"]
        assert ruling == (possible.pop() if len(possible) == 1 else None), facts
