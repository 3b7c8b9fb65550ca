"""What each kind of movement books, written out: the table at the top of `postings.py`, with whose and how."""

import pytest

from tournament.purse import postings
from tournament.purse.postings import Booking, MovementKind


def booked() -> dict[str, tuple[Booking, str, tuple[int, str, str]]]:
    """By kind one movement, its postings in words, and its entry, method and category."""
    return {
        "charge": (postings.book_charge(7, 5), "entrant +5, fees -5", (7, "", "")),
        "discount": (postings.book_discount(7, 5), "discounts +5, entrant -5", (7, "", "")),
        "complimentary": (postings.book_complimentary(7, 5), "discounts +5, entrant -5", (7, "", "")),
        "cancellation": (postings.book_cancellation(7, 5), "fees +5, entrant -5", (7, "", "")),
        "payment": (postings.book_payment(7, 5, "cash"), "money +5, entrant -5", (7, "cash", "")),
        "refund": (postings.book_refund(7, 5, "cash"), "entrant +5, money -5", (7, "cash", "")),
        "added": (postings.book_added(5, "check"), "money +5, added -5", (0, "check", "")),
        "expense": (postings.book_expense(5, "cash", "Trays"), "expense +5, money -5", (0, "cash", "Trays")),
        "payout": (postings.book_payout(7, 5, "cash", 2), "prizes +5, money -3, withheld -2", (7, "cash", "")),
        "transfer": (postings.book_transfer(5, "cash", off=3, to=4), "money +5 in 4, money -5 in 3", (0, "cash", "")),
        "brought": (postings.book_bank_withdrawal(5, "cash"), "money +5, bank -5", (0, "cash", "")),
        "banked": (postings.book_bank_deposit(5, "cash"), "bank +5, money -5", (0, "cash", "")),
        "over": (postings.book_overage(5, "cash"), "money +5, difference -5", (0, "cash", "")),
        "short": (postings.book_shortage(5, "cash"), "difference +5, money -5", (0, "cash", "")),
        "side-pool": (postings.book_side_pool(7, 5, "Senior"), "entrant +5, side-fees -5", (7, "", "Senior")),
        "side-payout": (
            postings.book_side_payout(7, 5, "cash", "Senior"),
            "side-prizes +5, money -5",
            (7, "cash", "Senior"),
        ),
        "extra": (postings.book_extra(7, 5, "Dinner"), "entrant +5, extras -5", (7, "", "Dinner")),
        "remittance": (postings.book_remittance(5, "check"), "withheld +5, money -5", (0, "check", "")),
    }


def test_every_kind_is_here() -> None:
    assert set(booked()) == {str(kind) for kind in MovementKind}


@pytest.mark.parametrize("kind", MovementKind)
def test_a_kind_moves_between_these_accounts(kind: MovementKind) -> None:
    booking, expected, about = booked()[kind]
    where = {0: ""} | {drawer: f" in {drawer}" for drawer in (3, 4)}
    moved = ", ".join(f"{one.account} {one.cents:+}{where[one.drawer]}" for one in booking.postings)
    assert (booking.kind, moved) == (kind, expected)
    assert (booking.entry, booking.method, booking.category) == about
