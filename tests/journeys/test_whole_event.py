"""Test a singles event from its first page to its last payout, with a director, two players, and a public screen."""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

from config.environment import BASE_DIR
from pairing.desk.services.sending import call_ready_matches
from scoring.card_state.selectors.players import SeatedMatch, load_ready_seated_matches
from scoring.rehearsal.services.demo import SinglesDemo
from tests.browser import MakePage, look
from tests.journeys.person import CUT
from tests.journeys.steps import Played, finish_over_what_is_open, sign_by_code, sign_by_drawing, sign_in, tap_key
from tests.kit import fresh, fresh_entrant
from tests.screens import SIDEWAYS
from tournament.core.permissions import make_staff_actor
from tournament.models import Entrant, Event, User
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.selectors.prizes import load_prizes
from tournament.money.services.checkin import set_check_in_status
from tournament.money.services.fees_and_refunds import take_payment

pytestmark = pytest.mark.browser

LIST: Final = BASE_DIR / "tournament" / "data" / "registrations-singles.csv"
ARRIVE: Final = 15
TARGET: Final = 75


@pytest.mark.long
def test_a_whole_event(make_page: MakePage) -> None:
    user = User.objects.create_user("ada@example.org", name="Ada Director")
    desk, hall = make_page("desktop"), make_page("phone")
    sign_in(desk, user)
    set_up(desk)
    event = Event.objects.select_related("tournament").get(slug="singles")
    whole = Played(SinglesDemo(ARRIVE, 5, report_progress=lambda _line: None), event, make_staff_actor(user))
    take_entries(desk, whole)
    check_in(desk, whole)
    close_and_draw(desk, hall, whole)
    start_play(desk, whole)
    play_by_hand(make_page, whole)
    play_the_rest(whole)
    finish_and_pay(desk, hall, whole)


# --- The director sets it up -----------------------------------------------------------------------------------------


def set_up(desk: Page) -> None:
    desk.get_by_role("link", name="Set up a tournament").click()
    facts = {"name": "Desert Classic", "slug": "desert-classic", "venue": "Palm Desert"}
    fill(desk, {**facts, "starts_on": "2026-11-27", "ends_on": "2026-11-29"})
    expect(desk.get_by_label("Time zone of the venue")).to_have_value("America/Los_Angeles")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_role("heading", name="All events", level=1)).to_be_visible()
    desk.get_by_role("link", name="Add the first event").click()
    desk.get_by_role("link", name="Something else").click()
    fees = {"fee_cents": "300.00", "early_fee_cents": "275", "early_until": "2026-10-01"}
    fill(desk, {**fees, "prize_scale": "50, 30, 20"})
    look(desk, "new-event")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_role("heading", name="Today", level=1)).to_be_visible()
    look(desk, "event-desk-draft")
    desk.locator("#desk-nav summary", has_text="Setup").click()
    desk.get_by_role("link", name="Rule sheet").click()
    desk.locator("[name=target]").fill(str(TARGET))
    desk.get_by_role("button", name="Save").click()
    expect(desk.locator("[name=target]")).to_have_value(str(TARGET))
    desk.get_by_role("link", name="Today").click()
    desk.get_by_role("main").get_by_role("button", name="Open registration").click()
    expect(desk.get_by_text("Registration is open")).to_be_visible()


def fill(page: Page, fields: dict[str, str]) -> None:
    for name, value in fields.items():
        page.locator(f"[name={name}]").fill(value)


def take_entries(desk: Page, whole: Played) -> None:
    """Import a list of entries twice, and check that nobody is entered twice.

    After the first import, rows with problems must still be on the page, with links to fix them.
    """
    for turn in ("first", "again"):
        desk.goto(f"{whole.desk}import/")
        desk.get_by_label("List of entries").set_input_files(LIST)
        desk.get_by_role("button", name="Read the list").click()
        if turn == "first":
            look(desk, "import-preview")
            enter = desk.get_by_role("button", name=re.compile(r"Enter the \d+ new rows"))
            said = re.findall(r"\d+", enter.inner_text())[0]
            enter.click()
            expect(desk.get_by_text(f"Entered: {said}.")).to_be_visible()
            look(desk, "import-rest")
            assert whole.event.entrants.count() == int(said)
            expect(desk.get_by_role("link", name=re.compile("Fix row"))).not_to_have_count(0)
    expect(desk.get_by_role("button", name=re.compile("Enter the"))).to_have_count(0)


def check_in(desk: Page, whole: Played) -> None:
    """Let one player pay and check in on the page, and check in the others without a browser.

    The last player checks in without paying.
    """
    entrants = list(whole.event.entrants.order_by("number"))
    owing = [entrant for entrant in entrants if load_entry_account(entrant).due_cents]
    first, unpaid = owing[0], owing[1]
    due = load_entry_account(first).due_cents
    desk.goto(f"{whole.desk}check-in/?q={first.number}")
    desk.locator(".row-money a").click()
    expect(desk.locator("[name=cents]")).to_have_value(f"{due // 100}.{due % 100:02d}")
    desk.get_by_role("button", name="Take payment and check in").click()
    expect(desk.locator(f"tr:has(#arrived-{first.number})")).to_contain_text("✓ Checked in")
    assert desk.evaluate(SIDEWAYS) == 0
    look(desk, "check-in")
    others = [entrant for entrant in entrants if entrant not in (first, unpaid)][: ARRIVE - 1]
    for entrant in [*others, unpaid]:
        set_check_in_status(fresh_entrant(entrant), by=whole.by)
    for entrant in others:
        if due := load_entry_account(entrant).due_cents:
            take_payment(fresh_entrant(entrant), due, "cash", by=whole.by, key=f"paid-{entrant.pk}")


# --- The draw --------------------------------------------------------------------------------------------------------


def close_and_draw(desk: Page, hall: Page, whole: Played) -> None:
    hall.goto(f"{whole.page}draw/")
    expect(hall.get_by_text("Registration is still open")).to_be_visible()
    desk.goto(f"{whole.desk}draw/")
    desk.get_by_role("button", name="Close registration").click()
    expect(hall.get_by_role("heading", name="Sealed before the cut")).to_be_visible()
    look(desk, "draw-doubtful")
    decide_on_doubtful(desk, whole)
    desk.get_by_role("button", name="Seal the list again").click()
    look(desk, "draw-cut")
    for card in CUT:
        desk.get_by_label(card).check(force=True)
    expect(desk.get_by_text("The room saw: 7♥")).to_be_visible()
    desk.get_by_role("button", name="Draw", exact=True).click()
    expect(desk.get_by_role("heading", name="3. Look at the draw, then post it")).to_be_visible()
    look(desk, "draw-preview")
    for name in ("draw", "bracket", "pairings"):
        hall.goto(f"{whole.page}{name}/")
        expect(hall.get_by_role("heading", name="Round one")).to_have_count(0)
        expect(hall.locator(".match-box")).to_have_count(0)
    hall.goto(f"{whole.page}draw/")
    expect(hall.get_by_text("Sealed before the cut")).to_be_visible()
    desk.get_by_role("button", name="Post the draw").click()
    expect(hall.get_by_role("heading", name="Round one")).to_be_visible()
    look(hall, "draw-posted")


def decide_on_doubtful(desk: Page, whole: Played) -> None:
    """Leave out the absent players, and keep a player who is present but has not paid."""
    unpaid = whole.event.entrants.get(pk=next(e.pk for e in whole.event.entrants.filter(arrived=True) if owes(e)))
    desk.get_by_role("button", name="Select everyone who has not checked in").click()
    expect(desk.locator(f"#doubt-{unpaid.number}")).not_to_be_checked()
    desk.get_by_role("button", name="Leave them out").click()
    expect(desk.locator("[id^=doubt-]")).to_have_count(1)
    desk.locator(f"#doubt-{unpaid.number}").check()
    desk.get_by_role("button", name="Play them anyway").click()
    expect(desk.get_by_text("✓ plays anyway")).to_be_visible()
    assert whole.event.entrants.filter(state=Entrant.State.IN).count() == ARRIVE + 1


def owes(entrant: Entrant) -> bool:
    return load_entry_account(entrant).due_cents > 0


# --- Play ------------------------------------------------------------------------------------------------------------


def start_play(desk: Page, whole: Played) -> None:
    desk.goto(f"{whole.desk}rules/")
    desk.get_by_role("link", name="Start play").click()
    desk.get_by_role("button", name="Start play").click()
    expect(desk.get_by_text("matches have tables")).to_be_visible()
    desk.goto(f"{whole.desk}tables/")
    look(desk, "tables-called")


def play_by_hand(make_page: MakePage, whole: Played) -> None:
    """Play a match on two phones, and check that both phones and the public bracket are updated."""
    meeting = load_ready_seated_matches(whole.event)[0]
    keeper, opponent, hall = make_page("phone"), make_page("phone"), make_page("desktop")
    hall.goto(f"{whole.page}bracket/")
    later = next_match(hall, meeting)
    expect(later).not_to_contain_text(meeting.entrants[0].name)
    opponent.goto(f"/my/{meeting.entrants[1].token}/")
    opponent.get_by_role("link", name="My match").click()
    keeper.goto(f"/my/{meeting.entrants[0].token}/match/")
    keeper.get_by_role("button", name="I did").click()
    expect(opponent.get_by_text("keeps score (low cut)")).to_be_visible()
    an_impossible_knock(keeper)
    keeper.locator("[name=counts_A]").fill("5")
    keeper.get_by_role("button", name="Record").click()
    expect(keeper.get_by_text("Hand 1 is recorded")).to_be_visible()
    expect(opponent.locator(".match-score")).to_contain_text("15")
    look(opponent, "opponent-sees-hand-1")
    a_gin(keeper)
    expect(opponent.locator(".match-score")).to_contain_text("80")
    sign_by_drawing(keeper, "Signed. Your opponent signs next.", picture="signing")
    sign_by_code(opponent, meeting.entrants[1])
    look(opponent, "signed-and-posted")
    expect(later).to_contain_text(meeting.entrants[0].name)
    expect(keeper.get_by_text("You have won this game")).to_be_visible()
    look(hall, "bracket-after-a-match")


def next_match(page: Page, meeting: SeatedMatch) -> Locator:
    found = re.fullmatch(r"R(\d+)M(\d+)", meeting.match.ident)
    assert found is not None
    ident = f"R{int(found[1]) + 1}M{(int(found[2]) + 1) // 2}"
    return page.locator(f"#match-{ident}")


def tap(page: Page, question: str, answer: str) -> None:
    tap_key(page.get_by_role("group", name=question), answer)


def an_impossible_knock(keeper: Page) -> None:
    """Check that the preview and the form refuse a knock with nine points under an up card of eight."""
    keeper.get_by_role("link", name="Enter hand 1").click()
    look(keeper, "hand-first-question")
    tap(keeper, "Up card: rank", "8")
    tap(keeper, "Up card: suit", "hearts")
    tap(keeper, "How did it end?", "knock")
    keeper.get_by_role("group", name="Who ended it?").locator(".key").first.click()
    keeper.locator("[name=counts_A]").fill("9")
    keeper.locator("[name=counts_B]").fill("20")
    expect(keeper.locator(".preview-refused")).to_contain_text("8")
    keeper.get_by_role("button", name="Record").click()
    refusal = keeper.get_by_role("alert").first
    expect(refusal).to_contain_text("GRA singles rule 4")
    look(keeper, "hand-refused")


def a_gin(keeper: Page) -> None:
    keeper.get_by_role("link", name="Enter hand 2").click()
    tap(keeper, "Up card: rank", "K")
    tap(keeper, "Up card: suit", "spades")
    tap(keeper, "How did it end?", "gin")
    keeper.get_by_role("group", name="Who ended it?").locator(".key").first.click()
    keeper.locator("[name=counts_B]").fill("40")
    expect(keeper.locator(".preview-worth")).to_contain_text("+65")
    look(keeper, "hand-preview")
    keeper.get_by_role("button", name="Record").click()
    expect(keeper.get_by_text("Hand 2 is recorded")).to_be_visible()


def play_the_rest(whole: Played) -> None:
    while meetings := load_ready_seated_matches(whole.event):
        call_ready_matches(whole.event, 1, ARRIVE + 1, by=whole.by)
        for meeting in meetings:
            whole.demo.play_match(meeting, whole.by)


# --- Prizes ----------------------------------------------------------------------------------------------------------


def finish_and_pay(desk: Page, hall: Page, whole: Played) -> None:
    desk.goto(f"{whole.desk}results/")
    look(desk, "results-decided")
    desk.get_by_role("button", name="Finish the event").click()
    finish_over_what_is_open(desk)
    expect(desk.get_by_role("heading", name="Prizes", level=1)).to_be_visible()
    to_pay = desk.get_by_role("link", name=re.compile(r"^Mark .* paid out$"))
    expect(to_pay).to_have_count(4)
    to_pay.first.click()
    desk.locator("dialog[open] button").click()
    expect(to_pay).to_have_count(3)
    look(desk, "prizes-first-paid")
    hall.goto(f"{whole.page}prizes/")
    look(hall, "prizes")
    prizes = hall.locator("table:has(tfoot)").first
    rows = [cents_in(row) for row in prizes.locator("tbody td:last-child").all_inner_texts()]
    pool = cents_in(hall.locator("dl.facts dd").last.inner_text())
    collected = cents_in(hall.locator("dl.facts dd").first.inner_text())
    assert sum(rows) == cents_in(prizes.locator("tfoot td").inner_text()) == pool
    loaded = load_prizes(fresh(whole.event))
    assert pool == ((collected + loaded.pool.discounts_cents) * 82 + 50) // 100
    assert loaded.pool.collected_cents == collected
    assert [award.paid for award in loaded.awards].count(True) == 1


def cents_in(text: str) -> int:
    return int(re.sub(r"\D", "", text))
