"""How many clicks and keys each walk may take. `docs/walk-throughs.md` tells the same figures."""

from __future__ import annotations

from dataclasses import dataclass

from tests.journeys.person import Person


@dataclass(frozen=True, slots=True)
class Most:
    clicks: int
    keys: int

    def holds_for(self, *people: Person) -> None:
        took = Most(sum(one.clicks for one in people), sum(one.keys for one in people))
        assert took.clicks <= self.clicks and took.keys <= self.keys, f"{took} of {self}"


OPEN_AN_EVENT = Most(clicks=12, keys=55)
TO_OPEN_CARDS = Most(clicks=11, keys=0)
FROM_A_LIST_TO_THE_DRAW = Most(clicks=17, keys=10)
TWO_ROUNDS = Most(clicks=20, keys=60)
FINISH_AND_PAY = Most(clicks=10, keys=20)
AN_EVENING = Most(clicks=35, keys=10)
