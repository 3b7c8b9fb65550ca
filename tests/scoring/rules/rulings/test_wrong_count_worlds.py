"""Rulings on a wrong number of cards are compared with a second implementation of the specification.

The second implementation tries every value that an unknown fact can have.
"""

from __future__ import annotations

import random
from itertools import product
from typing import Any

from scoring.rules.rulings.adjudicate import run_adjudicate_case


def ruled_in(world: dict[str, Any]) -> str:
    """Return the ruling of a case whose facts are all known, as the specification says."""
    wrong = [side for side in "AB" if world["cards"][side] != 10]
    if not wrong:
        return "scored" if world["ended"] else "no-penalty"
    if world["plays"] == 0 or len(wrong) == 2:
        return "new-deal"
    if world["ended"] and wrong[0] != world["by"]:
        return "scored"
    return str(world["chosen"])


def worlds(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one complete case for each combination of values that the unknown facts can have.

    A hand that nobody counted can have 9, 10, or 11 cards. If only one hand or none was counted, at least one hand must
    have a wrong number of cards.
    """
    cards = facts.get("cards", {})
    ended = facts.get("ended")
    found = []
    for one, other, plays, by, chosen in product(
        [cards["A"]] if "A" in cards else [9, 10, 11],
        [cards["B"]] if "B" in cards else [9, 10, 11],
        [facts["plays"]] if "plays" in facts else [4] if ended else [0, 4],
        [facts["by"]] if "by" in facts else ["A", "B"],
        [facts["chosen"]] if "chosen" in facts else ["correct", "new-deal"],
    ):
        if one == other == 10 and len(cards) < 2:
            continue
        found.append({"cards": {"A": one, "B": other}, "plays": plays, "by": by, "chosen": chosen, "ended": ended})
    return found


def test_a_ruling_is_given_exactly_if_every_possible_world_gives_it() -> None:
    chance = random.Random(8)
    seen: set[str | None] = set()
    for _ in range(3000):
        facts: dict[str, Any] = {
            "cards": {side: chance.choice([8, 9, 10, 10, 11]) for side in "AB" if chance.random() < 0.6},
            "plays": chance.choice([0, 1, 9]),
            "by": chance.choice("AB"),
            "chosen": chance.choice(["correct", "new-deal"]),
            "ended": chance.choice([None, None, "gin", "knock"]),
            "up": "TC",
            "counts": {"A": 0, "B": 0},
        }
        facts["extra"] = {s: ["KH"][: n - 10] for s, n in facts["cards"].items() if n > 10}
        for name in ("cards", "plays", "by", "chosen"):
            if chance.random() < 0.35:
                del facts[name]
                facts.pop("extra", None) if name == "cards" else None
        possible = {ruled_in(world) for world in worlds(facts)}
        answer = run_adjudicate_case({"rules": "gra-singles", "kind": "wrong-count", "facts": facts})
        expected = possible.pop() if len(possible) == 1 else None
        counted = facts.get("cards", {})
        if expected == "scored" and ("by" not in facts or (len(counted) < 2 and facts["by"] in counted)):
            expected = None  # the line has to name the finisher, and the number of cards missing
        assert answer["ruling"] == expected, facts
        if expected is None:
            assert answer["text"].rstrip().endswith(("?", ".")) and answer["line"] is None
        seen.add(answer["ruling"])
    assert seen == {None, "scored", "new-deal", "correct", "no-penalty"}
