"""Test three events from the first sale to a balanced close, using only what the screens offer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.browser import MakePage, look
from tests.factories import a_tournament, a_user, an_event
from tests.journeys.money_agrees import accountants_agree, close_agrees, event_agrees, whole_agrees
from tests.journeys.money_walk import (
    Notes,
    Staff,
    add_sweepstake,
    cents_in,
    count_cash,
    draw_and_start,
    enter_again,
    facts_on,
    import_rows,
    let_off,
    pay_everybody,
    play_a_round,
    sell_everything,
    undo_and_pay_by_check,
    withdraw_and_refund,
)
from tests.journeys.steps import sign_in
from tests.kit import desk_url
from tests.processes import Process
from tests.scoring.helpers.playing import the_card
from tests.screens import SIDEWAYS
from tournament.models import Event

pytestmark = pytest.mark.browser

SINGLES: Final = ("Ada Lovelace", "Alan Turing", "Barbara Liskov", "Claude Shannon", "Edsger Dijkstra", "Grace Hopper")
PAIRS: Final = (
    ("Emmy Noether", "Sofia Kovalevskaya"), ("Marie Curie", "Lise Meitner"), ("John Backus", "Radia Perlman"),
    ("Katherine Johnson", "Rosalind Franklin"),
)  # fmt: skip
AFTERNOON: Final = ("Kurt Gödel", "Alonzo Church", "Haskell Curry", "Stephen Kleene", "Rózsa Péter")
FLOAT: Final = 200_00
DROPPED: Final = 150_00


@dataclass
class Hall:
    """The screens of three members of staff, and the notes about each event's money."""

    director: Staff
    ann: Staff
    bob: Staff
    singles: Event
    pairs: Event
    afternoon: Event
    notes: dict[int, Notes]

    def of(self, event: Event) -> Notes:
        return self.notes[event.pk]

    @property
    def in_hand(self) -> Counter[str]:
        """Return the money on hand in cents for each payment method, over all events.

        The counters are not added with `+`, because it would drop negative counts.
        """
        everything = Counter[str]()
        for notes in self.notes.values():
            everything.update(notes.in_hand)
        return everything

    @property
    def events(self) -> tuple[Event, Event, Event]:
        return self.singles, self.pairs, self.afternoon


def open_hall(make_page: MakePage) -> Hall:
    place = a_tournament()
    singles = an_event(
        place, name="Singles", fee_cents=100_00, reentry=True, reentry_fee_cents=60_50,
        prize_scale=["40", "25", "14", "10", "7", "4"],
    )  # fmt: skip
    pairs = an_event(place, name="Partnership", fee_cents=201_50, entry_size=2, prize_scale=["65", "35"])
    afternoon = an_event(place, name="Afternoon", fee_cents=45_25, prize_scale=["70", "30"])
    events = (singles, pairs, afternoon)
    people = (("director", "Dora"), ("desk", "Ann"), ("desk", "Bob"))
    director, ann, bob = (at_desk(make_page, singles, role, name) for role, name in people)
    return Hall(director, ann, bob, *events, {event.pk: Notes() for event in events})


def at_desk(make_page: MakePage, event: Event, role: str, name: str) -> Staff:
    page, user = make_page("desktop", viewport={"width": 1366, "height": 768}), a_user(role, event.tournament)
    user.name = name
    user.save(update_fields=["name"])
    sign_in(page, user, to=desk_url(event, "today/"))
    return Staff(page)


@pytest.mark.long
def test_three_events_come_to_zero(make_page: MakePage, worker: Process, tmp_path: Path) -> None:
    hall = open_hall(make_page)
    enter_everybody(hall, tmp_path)
    sell(hall)
    play(hall)
    pay(hall)
    close(hall)
    agree(hall, tmp_path)


def enter_everybody(hall: Hall, folder: Path) -> None:
    rows = [f"{name},{name.split()[0].lower()}@example.org" for name in SINGLES]
    import_rows(hall.director, hall.singles, ["Name,Email", *rows], folder / "singles.csv")
    rows = [";".join(pair) for pair in PAIRS]
    import_rows(hall.director, hall.pairs, ["Player A;Player B", *rows], folder / "pairs.csv")
    import_rows(hall.director, hall.afternoon, ["Name", *AFTERNOON], folder / "afternoon.csv")


def sell(hall: Hall) -> None:
    """Sell entries, with a discount, a complimentary entry, a card payment, a refund, and a side pool."""
    director, singles, afternoon = hall.director, hall.singles, hall.afternoon
    let_off(director, singles, "Barbara Liskov", "20", "plays for a club")
    let_off(director, afternoon, "Kurt Gödel", "", "gave the cards")
    hall.of(singles).let_off = 20_00
    hall.of(afternoon).let_off = 45_25
    add_sweepstake(director, singles)
    open_drawer(hall.ann, hall.singles)
    sell_everything(hall.ann, singles, hall.of(singles), change="140", all_join=True)
    sell_everything(hall.ann, hall.pairs, hall.of(hall.pairs), card_for=" / ".join(PAIRS[0]))
    sell_everything(hall.ann, afternoon, hall.of(afternoon), change="100.25")
    drop_to_the_safe(hall.ann, singles)
    withdraw_and_refund(director, afternoon, "Rózsa Péter", hall.of(afternoon), 45_25)
    hand_over(hall)
    take_added_money(hall.bob, hall.pairs, hall.of(hall.pairs))


def open_drawer(cashier: Staff, event: Event) -> None:
    cashier.to_page(event, "Money", "Drawers")
    cashier.fills("Starting cash", f"{FLOAT / 100:.2f}")
    cashier.follows("Open the drawer")
    cashier.is_told("Recorded.")


def hand_over(hall: Hall) -> None:
    """Count the cash in Ann's drawer, and hand the drawer over to Bob.

    The director's refund does not reduce this cash, because it was paid from the safe.
    """
    ann = hall.ann
    ann.to_page(hall.singles, "Money", "Drawers")
    box = ann.main.locator("section", has=ann.page.get_by_role("heading", name="Drawer 1"))
    cash = facts_on(box)["Cash"]
    assert cash == FLOAT - DROPPED + sum(notes.paid["cash"] for notes in hall.notes.values())
    ann.unfolds("Count, then close or hand over")
    count_cash(ann, cash)
    ann.chooses("Hand over to", "Bob")
    look(ann.page, "zero-hand-over", contrast=False)
    ann.clicks_on("button", "Close this drawer")
    ann.is_told("Recorded.")


def drop_to_the_safe(cashier: Staff, event: Event) -> None:
    cashier.to_page(event, "Money", "Drawers")
    cashier.unfolds("Drop cash in the safe")
    cashier.fills("Amount", f"{DROPPED / 100:.0f}")
    cashier.clicks_on("button", "Drop the cash")
    cashier.is_told("Recorded.")


def take_added_money(cashier: Staff, event: Event, notes: Notes) -> None:
    cashier.to_page(event, "Money", "Expenses")
    cashier.unfolds("Record added money")
    cashier.fills("Amount", "150")
    cashier.fills("Sponsor", "Palm Desert Card Shop")
    cashier.clicks_on("button", "Record the added money")
    cashier.is_told("Recorded.")
    notes.added["cash"] += 150_00


def play(hall: Hall) -> None:
    """Play all three events. In the singles, the loser of a match pays the reentry fee and plays in round one again."""
    director, singles = hall.director, hall.singles
    draw_and_start(director, singles)
    play_a_round(director, singles, 2, assign=False)
    loser = the_card(singles, "R1M2").entrants[1].name
    enter_again(director, singles, loser)
    sell_everything(hall.bob, singles, hall.of(singles))
    for tables in (1, 2, 1):
        play_a_round(director, singles, tables)
    for event in (hall.pairs, hall.afternoon):
        draw_and_start(director, event)
        play_a_round(director, event, 2, assign=False)
        play_a_round(director, event, 1)
    spend(director, singles, hall.of(singles))


def spend(director: Staff, event: Event, notes: Notes) -> None:
    director.to_page(event, "Money", "Expenses")
    director.unfolds("Record an expense")
    director.fills("Amount", "31.40")
    director.chooses("Category", "Postage")
    director.chooses("How", "Check")
    director.clicks_on("button", "Record the expense")
    director.is_told("Recorded.")
    notes.spent["check"] += 31_40


def pay(hall: Hall) -> None:
    """Pay all prizes. The director corrects a payout, and a pair changes how it splits its prize."""
    close_drawer(hall)
    director = hall.director
    for event in hall.events:
        director.to_event(event)
        director.finishes()
        if event == hall.pairs:
            split(director, "60, 40")
        look(director.page, f"zero-prizes-{event.name.lower()}", contrast=False)
        pay_everybody(director, hall.of(event))
    director.to_page(hall.afternoon, "Money", "Prizes")
    first = cents_in(director.main.locator("tbody tr").first.inner_text())
    undo_and_pay_by_check(director, hall.afternoon, f"${first / 100:,.2f}", hall.of(hall.afternoon))


def split(director: Staff, percents: str) -> None:
    director.unfolds("Change how they split it")
    director.fills("Percent for each partner, in this order", percents)
    director.clicks_on("button", "Save the split")


def close_drawer(hall: Hall) -> None:
    bob = hall.bob
    bob.to_page(hall.pairs, "Money", "Drawers")
    cash = facts_on(bob.main.locator("section", has=bob.page.get_by_role("heading", name="Drawer 1")))["Cash"]
    bob.unfolds("Count, then close or hand over")
    count_cash(bob, cash)
    bob.clicks_on("button", "Close this drawer")
    bob.is_told("Recorded.")
    assert bob.main.get_by_role("button", name="Open the drawer").count() == 1


def close(hall: Hall) -> None:
    """Close the day: one person counts the money and signs, and then another person signs."""
    in_hand = hall.in_hand
    bob, director = hall.bob, hall.director
    bob.to_page(hall.singles, "Money", "Close the day")
    look(bob.page, "zero-close-before", contrast=False)
    count_cash(bob, FLOAT + in_hand["cash"])
    for method in ("card", "check"):
        bob.fills(method.capitalize(), f"{in_hand[method] / 100:.2f}")
    bob.clicks_on("button", "Sign the count")
    bob.is_told("The count is signed.")
    director.to_page(hall.singles, "Money", "Close the day")
    director.follows("Sign and close the day")
    expect(director.main).to_contain_text("Closed and signed by two.")
    look(director.page, "zero-closed")
    assert director.page.evaluate(SIDEWAYS) == 0


def agree(hall: Hall, folder: Path) -> None:
    named = {event.name: hall.of(event) for event in hall.events}
    accounts = close_agrees(hall.director, named)
    whole_agrees(hall.director, named, hall.in_hand | {"cash": hall.in_hand["cash"] + FLOAT})
    look(hall.director.page, "zero-whole")
    hall.director.page.set_viewport_size({"width": 360, "height": 740})
    look(hall.director.page, "zero-whole-360", contrast=False)
    assert hall.director.page.evaluate(SIDEWAYS) == 0
    hall.director.page.set_viewport_size({"width": 1366, "height": 768})
    accountants_agree(hall.director, accounts, folder)
    for event in hall.events:
        event_agrees(hall.director, event, hall.of(event))
