"""Walks of a newcomer that follow only what the screens offer: each click and key is counted.

The same walks stand in `docs/walk-throughs.md`, in the words of the screens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from pairing.blind_draw.services import close_event, make_draw, post_draw
from pairing.desk.services.sending import call_all
from scoring.models import CardPosted
from scoring.posting.services.opening import start_and_assign
from scoring.rulesheets.services import RulesChosen, save_rules
from tests.browser import look
from tests.factories import a_tournament, a_user, an_entrant, an_event
from tests.journeys import limits
from tests.journeys.at_the_table import a_gin, sign
from tests.journeys.person import Person
from tests.journeys.steps import CUT, enter_a_card, sign_in
from tests.kit import desk_url, fresh
from tests.processes import Site
from tests.scoring.helpers.playing import post, the_card
from tournament.core.permissions import SYSTEM
from tournament.models import Entrant, Event

pytestmark = pytest.mark.browser

Maker = Callable[..., Page]
EIGHT: Final = (
    "Ada Lovelace", "Alan Turing", "Barbara Liskov", "Claude Shannon", "Edsger Dijkstra", "Grace Hopper",
    "John Backus", "Radia Perlman",
)  # fmt: skip


def a_drawn_event(names: Sequence[str], **fields: Any) -> Event:
    """Everybody has checked in, and the draw is posted."""
    event = an_event(a_tournament(), name="Spring Open", fee_cents=0, **fields)
    for name in names:
        an_entrant(event, name, arrived=True)
    close_event(event, by=SYSTEM)
    make_draw(fresh(event), "7H QS 2D", by=SYSTEM)
    post_draw(fresh(event), by=SYSTEM)
    return fresh(event)


def at_today(make_page: Maker, event: Event) -> Person:
    """A director who has just signed in; from here on only what is on the screen is followed."""
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    sign_in(page, a_user("director", event.tournament), to=desk_url(event, "today/"))
    return Person(page)


# --- A list is imported, everybody is checked in, the draw is posted -------------------------------------------------


def test_a_list_is_imported_checked_in_and_drawn(make_page: Maker, live_site: Site, tmp_path: Path) -> None:
    event = an_event(a_tournament(), name="Spring Open", fee_cents=0)
    director = at_today(make_page, event)
    import_a_list(director, tmp_path / "players.csv")
    director.follows("Close registration")
    director.follows("Close registration")
    look(director.page, "walk-draw-nobody-here", contrast=False)
    director.clicks_on("link", "Check in players")
    check_everybody_in(director)
    make_the_draw(director)
    assert fresh(event).state == Event.State.DRAWN
    limits.FROM_A_LIST_TO_THE_DRAW.holds_for(director)


def import_a_list(director: Person, path: Path) -> None:
    rows = (f"{name},{name.split()[0].lower()}@example.org" for name in EIGHT)
    path.write_text("\n".join(["Name,Email", *rows]))
    director.follows("Add players")
    director.clicks_on("link", "Import a list")
    director.chooses_file("List of entries", path)
    director.follows("Read the list")
    director.follows("Enter the 8 new rows")
    expect(director.page.get_by_text("Entered: 8.")).to_be_visible()
    look(director.page, "walk-imported", contrast=False)


def check_everybody_in(director: Person) -> None:
    expect(director.page.locator("[data-row-key]:focus")).to_be_visible()
    director.presses(*["Space"] * len(EIGHT), "Enter")
    expect(director.page.get_by_text("Everybody is checked in.")).to_be_visible()
    look(director.page, "walk-everybody-here")


def make_the_draw(director: Person) -> None:
    director.follows("Make the draw")
    for card in CUT:
        director.clicks += 1
        director.page.get_by_label(card).check(force=True)
    director.follows("Draw")
    director.follows("Post the draw")
    expect(director.main.get_by_role("link", name="Start play and assign tables")).to_be_visible()


# --- Two rounds with a wrong result and a withdrawal -----------------------------------------------------------------


def test_two_rounds_with_a_wrong_result_and_a_withdrawal(make_page: Maker, live_site: Site) -> None:
    event = a_drawn_event(EIGHT)
    director = at_today(make_page, event)
    director.follows("Start play and assign tables")
    director.follows("Start play and assign tables")
    director.follows("Follow the score cards")
    director.clicks_on("link", "Enter a paper score card")
    for table in range(1, 5):
        enter_a_card(director, table, "160", "70")
    put_right(director, event, table=2)
    withdraw(director, the_card(event, "R1M1").entrants[0])
    director.follows("Assign tables")
    director.follows("Assign tables")
    look(director.page, "walk-tables-assigned", contrast=False)
    director.follows("Follow the score cards")
    director.clicks_on("link", "Enter a paper score card")
    enter_a_card(director, 1, "155", "90")
    limits.TWO_ROUNDS.holds_for(director)


def put_right(director: Person, event: Event, *, table: int) -> None:
    """The totals of one card stand in each other's place: swapped, and signed again on the same paper."""
    names = [entrant.name for entrant in the_card(event, f"R1M{table}").entrants]
    last = director.page.get_by_role("region", name="Last").get_by_role("listitem").filter(has_text=names[0])
    director.clicks += 1
    last.get_by_role("link", name="Correct the totals").click()
    director.types("What was wrong?", "swapped")
    director.follows("Swap the two totals")
    look(director.page, "walk-swapped", contrast=False)
    for _signer in names:
        director.clicks_on("button", "Signed on paper")
    expect(director.main.get_by_role("button", name="Signed on paper")).to_have_count(0)


def withdraw(director: Person, leaving: Entrant) -> None:
    director.opens("Players", "Entrants")
    director.clicks_on("link", leaving.name)
    director.clicks_on("link", "Withdraw")
    look(director.page, "walk-withdraw", contrast=False)
    director.types("Reason, for the record", "ill")
    director.clicks_on("button", "Show the changes")
    look(director.page, "walk-withdraw-effects", contrast=False)
    director.clicks_on("button", f"Withdraw {leaving.name}")
    expect(director.page.get_by_text(f"{leaving.name} is out of the event.")).to_be_visible()


# --- The last result, the finish, the last payout --------------------------------------------------------------------


def test_the_event_is_finished_and_paid(make_page: Maker, live_site: Site) -> None:
    event = a_drawn_event(EIGHT[:4], added_cents=200_00, prize_scale=["60", "40"])
    save_rules(event, RulesChosen("gra-singles", {"target": 50}, 1), by=SYSTEM)
    start_and_assign(event, 1, 2, by=SYSTEM)
    for ident in ("R1M1", "R1M2"):
        post(the_card(event, ident))
    call_all(fresh(event), 1, 2, by=SYSTEM)
    director = at_today(make_page, event)
    director.follows("Follow the score cards")
    director.clicks_on("link", "Enter a paper score card")
    enter_a_card(director, 1, "65", "20")
    look(director.page, "walk-last-card")
    finish(director)
    pay(director, "$120.00", "$80.00")
    look(director.page, "walk-all-paid")
    director.goes_to("Today")
    expect(director.page.get_by_text("Every prize is paid. This event is done.")).to_be_visible()
    look(director.page, "walk-event-is-over", contrast=False)
    limits.FINISH_AND_PAY.holds_for(director)


def finish(director: Person) -> None:
    """A card that was posted a moment ago can still be corrected: the page says so, and takes a reason."""
    director.follows("Finish the event")
    director.types("Reason to finish anyway", "both agree")
    director.clicks_on("button", "Finish the event")
    expect(director.page.get_by_role("heading", name="Prizes", level=1)).to_be_visible()


def pay(director: Person, *amounts: str) -> None:
    for amount in amounts:
        director.clicks_on("link", f"Mark {amount} paid out")
        director.clicks_on("button", f"Record {amount} paid out")
        expect(director.main.get_by_role("link", name=f"Mark {amount} paid out")).to_have_count(0)


# --- A player's evening ----------------------------------------------------------------------------------------------


def test_a_players_evening(make_page: Maker, live_site: Site) -> None:
    event = a_drawn_event(EIGHT[:4], added_cents=200_00, prize_scale=["60", "40"])
    ada = event.entrants.get(number=1)
    own, other = the_matches(event, ada)
    phone = on_their_phone(make_page, ada)
    director = at_today(make_page, event)
    director.follows("Start play and assign tables")
    director.follows("Start play and assign tables")
    find_the_table(phone)
    play_a_match(make_page, phone, ada, opponent_in(own, ada, event))
    director.follows("Follow the score cards")
    director.clicks_on("link", "Enter a paper score card")
    enter_a_card(director, other, "160", "70")
    director.goes_to("Today")
    director.follows("Assign tables")
    director.follows("Assign tables")
    phone.clicks_on("link", "Go to my next match")
    play_a_match(make_page, phone, ada, opponent_in("R2M1", ada, event))
    director.goes_to("Today")
    finish(director)
    pay(director, "$120.00", "$80.00")
    see_place_and_prize(phone)
    limits.AN_EVENING.holds_for(phone)


def the_matches(event: Event, ada: Entrant) -> tuple[str, int]:
    """The one she plays in, and the table of the other one."""
    is_first = ada.number in event.commitments.get().draw.places[:2]
    return ("R1M1", 2) if is_first else ("R1M2", 1)


def opponent_in(ident: str, ada: Entrant, event: Event) -> Entrant:
    return next(entrant for entrant in the_card(event, ident).entrants if entrant != ada)


def on_their_phone(make_page: Maker, entrant: Entrant) -> Person:
    """By the link that they were sent."""
    page = make_page("phone")
    page.goto(f"/my/{entrant.token}/")
    return Person(page)


def find_the_table(phone: Person) -> None:
    phone.clicks_on("link", "My match")
    expect(phone.main.locator(".match-opponent")).to_be_visible()
    expect(phone.main.locator(".match-head .table-ring")).to_be_visible()
    assert phone.clicks <= 2, "table and opponent in two taps"
    look(phone.page, "walk-my-match", contrast=False)


def play_a_match(make_page: Maker, phone: Person, ada: Entrant, opponent: Entrant) -> None:
    posted = CardPosted.objects.count()
    phone.clicks_on("button", "I did")
    for hand, suit in enumerate(("spades", "hearts"), start=1):
        a_gin(phone, hand, suit, by=ada.name)
    sign(phone, "Signed. Your opponent signs next.")
    other = on_their_phone(make_page, opponent)
    other.clicks_on("link", "My match")
    sign(other, "Signed. The card is posted.")
    assert CardPosted.objects.count() == posted + 1


def see_place_and_prize(phone: Person) -> None:
    phone.clicks_on("link", "See my place and prize")
    panel = phone.main.get_by_role("region", name="Place and prize")
    expect(panel).to_contain_text("1st")
    expect(panel).to_contain_text("$120.00")
    look(phone.page, "walk-place-and-prize")
