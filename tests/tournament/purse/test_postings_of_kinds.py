"""The accounts, the entry, the method and the category of each kind of movement, written out."""

import pytest

from tournament.purse.kinds import KINDS
from tournament.purse.postings import MoneyMovement, make_movement


def booked() -> dict[str, tuple[MoneyMovement, str, tuple[int, str, str]]]:
    """By kind one movement, its postings in words, and its entry, method and category."""
    return {
        "charge": (make_movement("charge", 5, entry=7), "entrant +5, fees -5", (7, "", "")),
        "discount": (make_movement("discount", 5, entry=7), "discounts +5, entrant -5", (7, "", "")),
        "complimentary": (make_movement("complimentary", 5, entry=7), "discounts +5, entrant -5", (7, "", "")),
        "cancellation": (make_movement("cancellation", 5, entry=7), "fees +5, entrant -5", (7, "", "")),
        "payment": (make_movement("payment", 5, entry=7, method="cash"), "money +5, entrant -5", (7, "cash", "")),
        "refund": (make_movement("refund", 5, entry=7, method="cash"), "entrant +5, money -5", (7, "cash", "")),
        "added": (make_movement("added", 5, method="check"), "money +5, added -5", (0, "check", "")),
        "expense": (
            make_movement("expense", 5, method="cash", category="Trays"),
            "expense +5, money -5",
            (0, "cash", "Trays"),
        ),
        "payout": (
            make_movement("payout", 5, entry=7, method="cash", withheld_cents=2),
            "prizes +5, money -3, withheld -2",
            (7, "cash", ""),
        ),
        "transfer": (
            make_movement("transfer", 5, method="cash", drawer=3, to_drawer=4),
            "money +5 in 4, money -5 in 3",
            (0, "cash", ""),
        ),
        "brought": (make_movement("brought", 5, method="cash"), "money +5, bank -5", (0, "cash", "")),
        "banked": (make_movement("banked", 5, method="cash"), "bank +5, money -5", (0, "cash", "")),
        "over": (make_movement("over", 5, method="cash"), "money +5, difference -5", (0, "cash", "")),
        "short": (make_movement("short", 5, method="cash"), "difference +5, money -5", (0, "cash", "")),
        "side-pool": (
            make_movement("side-pool", 5, entry=7, category="Senior"),
            "entrant +5, side-fees -5",
            (7, "", "Senior"),
        ),
        "side-payout": (
            make_movement("side-payout", 5, entry=7, method="cash", category="Senior"),
            "side-prizes +5, money -5",
            (7, "cash", "Senior"),
        ),
        "extra": (make_movement("extra", 5, entry=7, category="Dinner"), "entrant +5, extras -5", (7, "", "Dinner")),
        "donation": (make_movement("donation", 5, entry=7, method="cash"), "money +5, donations -5", (7, "cash", "")),
        "charity": (make_movement("charity", 5, method="check"), "donations +5, money -5", (0, "check", "")),
        "remittance": (make_movement("remittance", 5, method="check"), "withheld +5, money -5", (0, "check", "")),
    }


def test_every_kind_is_covered() -> None:
    assert set(booked()) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_moves_between_these_accounts(kind: str) -> None:
    booking, expected, about = booked()[kind]
    where = {0: ""} | {drawer: f" in {drawer}" for drawer in (3, 4)}
    moved = ", ".join(f"{one.account} {one.cents:+}{where[one.drawer]}" for one in booking.postings)
    assert (booking.kind, moved) == (kind, expected)
    assert (booking.entry, booking.method, booking.category) == about
