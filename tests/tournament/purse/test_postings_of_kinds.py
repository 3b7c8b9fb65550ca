from typing import Any

import pytest

from tournament.purse.kinds import MONEY_KIND_DETAILS
from tournament.purse.postings import make_movement

CASH = {"method": "cash"}
POSTINGS: dict[str, tuple[dict[str, Any], str]] = {
    "charge": ({"entry": 7}, "entrant +5, fees -5"),
    "discount": ({"entry": 7}, "discounts +5, entrant -5"),
    "complimentary": ({"entry": 7}, "discounts +5, entrant -5"),
    "cancellation": ({"entry": 7}, "fees +5, entrant -5"),
    "payment": ({"entry": 7, **CASH}, "money +5, entrant -5"),
    "refund": ({"entry": 7, **CASH}, "entrant +5, money -5"),
    "added": ({"method": "check"}, "money +5, added -5"),
    "expense": ({"category": "Trays", **CASH}, "expense +5, money -5"),
    "payout": ({"entry": 7, "withheld_cents": 2, **CASH}, "prizes +5, money -3, withheld -2"),
    "transfer": ({"drawer": 3, "to_drawer": 4, **CASH}, "money +5 in 4, money -5 in 3"),
    "brought": (CASH, "money +5, bank -5"),
    "banked": (CASH, "bank +5, money -5"),
    "over": (CASH, "money +5, difference -5"),
    "short": (CASH, "difference +5, money -5"),
    "side-pool": ({"entry": 7, "category": "Senior"}, "entrant +5, side-fees -5"),
    "side-payout": ({"entry": 7, "category": "Senior", **CASH}, "side-prizes +5, money -5"),
    "extra": ({"entry": 7, "category": "Dinner"}, "entrant +5, extras -5"),
    "donation": ({"entry": 7, **CASH}, "money +5, donations -5"),
    "charity": ({"method": "check"}, "donations +5, money -5"),
    "remittance": ({"method": "check"}, "withheld +5, money -5"),
}


def test_every_kind_is_covered() -> None:
    assert set(POSTINGS) == set(MONEY_KIND_DETAILS)


@pytest.mark.parametrize("kind", MONEY_KIND_DETAILS)
def test_a_kind_moves_between_these_accounts(kind: str) -> None:
    fields, expected = POSTINGS[kind]
    movement = make_movement(kind, 5, **fields)
    where = {0: ""} | {drawer: f" in {drawer}" for drawer in (3, 4)}
    moved = ", ".join(f"{posting.account} {posting.cents:+}{where[posting.drawer]}" for posting in movement.postings)
    assert (movement.kind, moved) == (kind, expected)
    about = {"entry": movement.entry, "method": movement.method, "category": movement.category}
    assert about == {name: fields.get(name, empty) for name, empty in (("entry", 0), ("method", ""), ("category", ""))}
