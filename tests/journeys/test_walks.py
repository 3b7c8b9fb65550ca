"""Test the tasks in docs/walk-throughs.md as newcomers who follow only what the screens offer.

The tests count the newcomers' clicks and keys.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from pairing.blind_draw.services import close_registration, make_draw, post_draw
from pairing.desk.services.sending import call_ready_matches
from pairing.models import TableCall
from scoring.models import Card, CardPosted
from scoring.posting.services.opening import start_play_and_assign_tables
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.browser import MakePage, look
from tests.factories import a_tournament, a_user, an_entrant, an_event
from tests.journeys.person import (
    AN_EVENING,
    FINISH_AND_PAY,
    FROM_A_LIST_TO_THE_DRAW,
    OPEN_AN_EVENT,
    TO_OPEN_CARDS,
    TWO_ROUNDS,
    Person,
    a_gin,
    set_up_a_tournament,
    sign,
)
from tests.journeys.steps import look_on_screens, sign_in
from tests.kit import desk_url, fresh
from tests.scoring.helpers.playing import post, the_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, Event

pytestmark = pytest.mark.browser

EIGHT: Final = (
    "Ada Lovelace", "Alan Turing", "Barbara Liskov", "Claude Shannon", "Edsger Dijkstra", "Grace Hopper",
    "John Backus", "Radia Perlman",
)  # fmt: skip


def a_drawn_event(names: Sequence[str], **fields: Any) -> Event:
    event = an_event(a_tournament(), name="Spring Open", fee_cents=0, **fields)
    for name in names:
        an_entrant(event, name, arrived=True)
    close_registration(event, by=SYSTEM_ACTOR)
    make_draw(fresh(event), "7H QS 2D", by=SYSTEM_ACTOR)
    post_draw(fresh(event), by=SYSTEM_ACTOR)
    return fresh(event)


def at_today(make_page: MakePage, event: Event) -> Person:
    """Return a director who has signed in and opened the page “Today”."""
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    sign_in(page, a_user("director", event.tournament), to=desk_url(event, "today/"))
    return Person(page)


# --- A list is imported, everybody is checked in, the draw is posted -------------------------------------------------


def test_a_list_is_imported_checked_in_and_drawn(make_page: MakePage, tmp_path: Path) -> None:
    event = an_event(a_tournament(), name="Spring Open", fee_cents=0)
    director = at_today(make_page, event)
    import_a_list(director, tmp_path / "players.csv")
    director.follows_twice("Close registration")
    look(director.page, "walk-draw-nobody-here", contrast=False)
    director.clicks_on("link", "Check in players")
    check_everybody_in(director)
    director.draws()
    expect(director.main.get_by_role("link", name="Start play and assign tables")).to_be_visible()
    assert fresh(event).state == Event.State.DRAWN
    FROM_A_LIST_TO_THE_DRAW.holds_for(director)


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


# --- Two rounds with a wrong result and a withdrawal -----------------------------------------------------------------


def test_two_rounds_with_a_wrong_result_and_a_withdrawal(make_page: MakePage) -> None:
    event = a_drawn_event(EIGHT)
    director = at_today(make_page, event)
    director.follows_twice("Start play and assign tables")
    director.opens_paper_cards()
    for table in range(1, 5):
        director.enters_card(table, "160", "70")
    put_right(director, event, table=2)
    withdraw(director, the_card(event, "R1M1").entrants[0])
    director.follows_twice("Assign tables")
    look(director.page, "walk-tables-assigned", contrast=False)
    director.opens_paper_cards()
    director.enters_card(1, "155", "90")
    TWO_ROUNDS.holds_for(director)


def put_right(director: Person, event: Event, *, table: int) -> None:
    """Swap the two totals of a card, and record that both players signed it again."""
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


def test_the_event_is_finished_and_paid(make_page: MakePage) -> None:
    event = a_drawn_event(EIGHT[:4], added_cents=200_00, prize_scale=["60", "40"])
    save_rule_sheet(event, ChosenRules("gra-singles", {"target": 50}, 1), by=SYSTEM_ACTOR)
    start_play_and_assign_tables(event, 1, 2, by=SYSTEM_ACTOR)
    for ident in ("R1M1", "R1M2"):
        post(the_card(event, ident))
    call_ready_matches(fresh(event), 1, 2, by=SYSTEM_ACTOR)
    director = at_today(make_page, event)
    director.opens_paper_cards()
    director.enters_card(1, "65", "20")
    look(director.page, "walk-last-card")
    director.finishes()
    pay(director, "$120.00", "$80.00")
    look(director.page, "walk-all-paid")
    director.goes_to("Today")
    expect(director.page.get_by_text("Every prize is paid. This event is done.")).to_be_visible()
    look(director.page, "walk-event-is-over", contrast=False)
    FINISH_AND_PAY.holds_for(director)


def pay(director: Person, *amounts: str) -> None:
    for amount in amounts:
        director.clicks_on("link", f"Mark {amount} paid out")
        director.clicks_on("button", f"Record {amount} paid out")
        expect(director.main.get_by_role("link", name=f"Mark {amount} paid out")).to_have_count(0)


# --- A player's evening ----------------------------------------------------------------------------------------------


def test_a_players_evening(make_page: MakePage) -> None:
    event = a_drawn_event(EIGHT[:4], added_cents=200_00, prize_scale=["60", "40"])
    ada = event.entrants.get(number=1)
    own, other = the_matches(event, ada)
    phone = on_their_phone(make_page, ada)
    director = at_today(make_page, event)
    director.follows_twice("Start play and assign tables")
    find_the_table(phone)
    play_a_match(make_page, phone, ada, opponent_in(own, ada, event))
    director.opens_paper_cards()
    director.enters_card(other, "160", "70")
    director.goes_to("Today")
    director.follows_twice("Assign tables")
    phone.clicks_on("link", "Go to my next match")
    play_a_match(make_page, phone, ada, opponent_in("R2M1", ada, event))
    director.goes_to("Today")
    director.finishes()
    pay(director, "$120.00", "$80.00")
    see_place_and_prize(phone)
    AN_EVENING.holds_for(phone)


def the_matches(event: Event, ada: Entrant) -> tuple[str, int]:
    """Return the identifier of Ada's match, and the table number of the other match."""
    is_first = ada.number in event.commitments.get().draw.places[:2]
    return ("R1M1", 2) if is_first else ("R1M2", 1)


def opponent_in(ident: str, ada: Entrant, event: Event) -> Entrant:
    return next(entrant for entrant in the_card(event, ident).entrants if entrant != ada)


def on_their_phone(make_page: MakePage, entrant: Entrant) -> Person:
    page = make_page("phone")
    page.goto(f"/my/{entrant.token}/")
    return Person(page)


def find_the_table(phone: Person) -> None:
    phone.clicks_on("link", "My match")
    expect(phone.main.locator(".match-opponent")).to_be_visible()
    expect(phone.main.locator(".match-head .table-ring")).to_be_visible()
    assert phone.clicks <= 2, "table and opponent in two taps"
    look(phone.page, "walk-my-match", contrast=False)


def play_a_match(make_page: MakePage, phone: Person, ada: Entrant, opponent: Entrant) -> None:
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


def test_an_event_is_open_in_fifteen_clicks(make_page: MakePage) -> None:
    page = make_page("desktop")
    sign_in(page, a_user())
    volunteer = Person(page)
    set_up_a_tournament(volunteer)
    expect(page.get_by_role("heading", level=1)).to_have_text("What do you play?")
    see_the_gallery(page)
    volunteer.clicks_on("button", "GRA partnership")
    go_through_the_steps(page, volunteer)
    volunteer.clicks_on("button", "Open registration")
    expect(page.get_by_text("Registration is open.")).to_be_visible()
    event = Event.objects.get()
    assert (event.state, event.entry_size, event.fee_cents) == (Event.State.OPEN, 2, 250_00)
    OPEN_AN_EVENT.holds_for(volunteer)
    copy_it(page, event)


def see_the_gallery(page: Page) -> None:
    for image in page.locator("img.paper").all():
        image.scroll_into_view_if_needed()
        assert image.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") > 0
    look_on_screens(page, "ready-events", contrast_at=1366)


def go_through_the_steps(page: Page, volunteer: Person) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("What and when")
    look(page, "setup-what")
    volunteer.clicks_on("button", "Next: Who may enter")
    expect(page.locator("[name=partners]")).to_be_visible()
    look(page, "setup-who")
    volunteer.clicks_on("button", "Next: Money")
    volunteer.types("Early-bird fee", "200")
    volunteer.clicks_on("button", "Next: Prizes")
    expect(page.locator(".error-summary")).to_be_focused()
    look(page, "setup-money-wrong")
    page.locator("[name=early_fee_cents]").fill("")
    volunteer.types("Entry fee", "250")
    volunteer.clicks_on("button", "Next: Prizes")
    expect(page.get_by_role("heading", level=1)).to_have_text("Prizes")
    page.set_viewport_size({"width": 360, "height": 740})
    look(page, "setup-prizes-360")
    page.set_viewport_size({"width": 1366, "height": 768})
    volunteer.clicks_on("button", "Finish setup")


def copy_it(page: Page, event: Event) -> None:
    """Check that the setup pages can be opened again, and create a new event as a copy."""
    page.locator("nav summary", has_text="Setup").click()
    page.get_by_role("link", name="Setup", exact=True).click()
    look(page, "setup-section")
    page.goto(f"/desk/{event.tournament.slug}/")
    page.get_by_role("link", name="New event").click()
    page.get_by_role("link", name="Copy an earlier event").click()
    look(page, "setup-former")
    page.get_by_role("button", name="GRA partnership").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What and when")
    page.get_by_role("button", name="Finish later").click()
    expect(page.get_by_text("Saved. Go on at any time under Setup.")).to_be_visible()


class Director(Person):
    def sees(self, name: str) -> None:
        look_on_screens(self.page, name, contrast_at=360)


def test_score_cards_are_open_in_twelve_clicks(make_page: MakePage) -> None:
    event = a_closed_event()
    page = make_page("desktop")
    sign_in(page, a_user("director", event.tournament))
    page.goto(desk_url(event, "today/"))
    director = Director(page)
    director.sees("today-closed")
    director.follows("Check in players")
    check_in(director)
    draw(director)
    director.follows("Start play and assign tables")
    director.sees("start-play")
    director.follows("Start play and assign tables")
    expect(page.get_by_text("Play has started, and the score cards are open.")).to_be_visible()
    director.sees("today-in-play")
    assert Event.objects.get(pk=event.pk).state == Event.State.IN_PLAY
    assert Card.objects.filter(match__event=event).count() == TableCall.objects.count() == 2
    TO_OPEN_CARDS.holds_for(director)


def a_closed_event() -> Event:
    """Return a free event with closed registration and six entrants, one of whom has not checked in."""
    event = an_event(a_tournament(), name="Spring Open", fee_cents=0)
    for turn, name in enumerate(EIGHT[:6]):
        an_entrant(event, name, arrived=turn > 0)
    close_registration(event, by=SYSTEM_ACTOR)
    return event


def check_in(director: Director) -> None:
    director.clicks += 1
    director.page.locator("#arrived-1").click()
    expect(director.page.locator("#arrived-1")).to_contain_text("Undo")


def draw(director: Director) -> None:
    director.follows("Make the draw")
    director.cuts()
    expect(director.page.locator("[data-cut-said]")).to_contain_text("7♥")
    director.sees("draw-cut")
    can_be_tapped(director.page)
    director.follows("Draw")
    director.sees("draw-preview")
    director.follows("Post the draw")


def can_be_tapped(page: Page) -> None:
    """Check that on a phone, the playing cards to tap are at least 44 pixels wide and high, and 8 pixels apart."""
    page.set_viewport_size({"width": 360, "height": 740})
    boxes = [card.bounding_box() for card in page.locator(".suit-cards").first.locator(".pick").all()]
    first, second = boxes[0], boxes[1]
    assert first is not None and second is not None
    assert min(box["width"] for box in boxes if box) >= 44 and min(box["height"] for box in boxes if box) >= 44
    assert second["x"] - first["x"] - first["width"] >= 8
    page.set_viewport_size({"width": 1366, "height": 768})


SECONDS_ALLOWED: Final = 300
MOST_CLICKS: Final = 55
PLAYERS: Final = ("Ada Lovelace", "Alan Turing")


@pytest.mark.long
def test_the_first_card_is_signed_in_five_minutes(make_page: MakePage) -> None:
    page = make_page("desktop")
    sign_in(page, a_user())
    volunteer = Person(page)
    open_an_event(volunteer)
    links = [enter(volunteer, name) for name in PLAYERS]
    close(volunteer)
    check_in_and_draw(volunteer)
    start(volunteer)
    people = [volunteer, *play(make_page, links)]
    assert CardPosted.objects.count() == 1
    assert sum(one.clicks for one in people) <= MOST_CLICKS
    assert sum(one.screens for one in people) * 2 + people[0].seconds - people[0].screens * 2 <= SECONDS_ALLOWED


def open_an_event(volunteer: Person) -> None:
    set_up_a_tournament(volunteer)
    volunteer.clicks_on("button", "GRA singles")
    volunteer.follows("Next: Who may enter")
    volunteer.unchecks("Coordinator")
    volunteer.unchecks("Hotel")
    volunteer.follows("Next: Money")
    for label, text in {"Entry fee": "0", "Early-bird fee": "", "Last day of the early-bird fee": ""}.items():
        volunteer.types(label, text)
    volunteer.follows("Next: Prizes")
    volunteer.follows("Finish setup")
    volunteer.follows("Open registration")


def enter(volunteer: Person, name: str) -> str:
    """Enter a player, and return the private link that the page shows."""
    if volunteer.main.get_by_role("link", name="Add players").count():
        volunteer.follows("Add players")
    else:
        volunteer.goes_to("Entrants")
    volunteer.clicks_on("link", "Enter a player")
    volunteer.types("Name", name)
    volunteer.clicks_on("button", "Save")
    link = re.search(r"/my/[\w-]+/", volunteer.main.inner_text())
    assert link is not None
    return link[0]


def close(volunteer: Person) -> None:
    volunteer.goes_to("Today")
    volunteer.follows_twice("Close registration")


def check_in_and_draw(volunteer: Person) -> None:
    volunteer.goes_to("Today")
    volunteer.follows("Check in players")
    for number in range(1, len(PLAYERS) + 1):
        volunteer.clicks += 1
        volunteer.page.locator(f"#arrived-{number}").click()
        expect(volunteer.page.locator(f"#arrived-{number}")).to_contain_text("Undo")
    volunteer.goes_to("Today")
    volunteer.draws()


def start(volunteer: Person) -> None:
    volunteer.follows_twice("Start play and assign tables")
    expect(volunteer.page.get_by_text("Play has started, and the score cards are open.")).to_be_visible()


def play(make_page: MakePage, links: list[str]) -> tuple[Person, Person]:
    """Play two hands that end with gin on two phones, and sign the card on both.

    The first player cut the low card and keeps score.
    """
    pages = [make_page("phone"), make_page("phone")]
    for page, link in zip(pages, links, strict=True):
        page.goto(link)
    keeper, other = (Person(page) for page in pages)
    for one in (keeper, other):
        one.clicks_on("link", "My match")
    keeper.clicks_on("button", "I did")
    for hand, suit in enumerate(("spades", "hearts"), start=1):
        a_gin(keeper, hand, suit)
    for one, said in ((keeper, "Signed. Your opponent signs next."), (other, "Signed. The card is posted.")):
        sign(one, said)
    return keeper, other
