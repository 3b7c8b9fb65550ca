"""The partnership event from the first entry to the last payout, as the desk, two phones and the hall live it."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Page, expect

from pairing.selectors.stages import Course, load_course
from pairing.services.draws import close_event, draw, post_draw
from scoring.selectors.meetings import Meeting, load_ready_meetings
from scoring.services.opening import open_card
from scoring.services.paper import PaperCard, enter_paper
from tests.browser import look
from tests.factories import a_tournament, an_entrant, an_event
from tests.journeys.from_sheet_to_paper import Hall, Maker
from tests.journeys.steps import SIDEWAYS
from tests.processes import Process, Site
from tournament.models import Entrant, Event
from tournament.permissions import SYSTEM
from tournament.selectors.ledger import account_of
from tournament.selectors.prizes import load_prizes
from tournament.services.doors import open_registration
from tournament.services.draw_list import keep_in_draw
from tournament.services.ledger import take_payment

pytestmark = pytest.mark.browser

TEAMS: Final = 14
"""Besides the pair that enters together and the pair that is drawn."""


FEE: Final = 100_00
"""Cents a pair; those who entered in the pages owe it, the one that was drawn by halves."""


@pytest.fixture(autouse=True)
def _the_real_site(live_site: Site, worker: Process) -> None:
    """With the worker that prints."""


def test_the_partnership_event(make_page: Maker) -> None:
    event = an_event(a_tournament(), name="Partnership", state=Event.State.DRAFT, fee_cents=FEE, entry_size=2)
    hall = Hall.of(event, "gra-partnership", make_page)
    plan_it(hall)
    enter(hall)
    draw_partners(hall)
    draw_the_event(hall)
    send_and_play_one(hall)
    qualify(hall)
    open_the_finals(hall)
    play_the_finals(hall)
    pay(hall)


def fresh(event: Event) -> Event:
    return Event.objects.select_related("tournament").get(pk=event.pk)


def course_of(hall: Hall) -> Course:
    course = load_course(fresh(hall.event))
    assert course is not None
    return course


def plan_it(hall: Hall) -> None:
    """Five games, out with two losses, four wins go on; sixty points a game and a hundred in the final."""
    hall.desk.goto(f"{hall.console}format/")
    hall.desk.locator("[name=format][value=stages]").check()
    hall.desk.get_by_role("button", name="GRA partnership").click()
    hall.desk.get_by_role("button", name="Save").click()
    expect(hall.desk.get_by_text("The format is saved.")).to_be_visible()
    hall.choose_rules("Gin Rummy Association, partnership", target="60")


def enter(hall: Hall) -> None:
    """Two enter together; two others each ask for a partner, on their own phones."""
    open_registration(hall.event, by=SYSTEM)
    together = {"name": "Ada Lovelace", "email": "ada@example.org", "partner": "Grace Hopper"}
    register(hall.other, hall, "With my partner", together)
    expect(hall.other.get_by_role("main")).to_contain_text("Grace Hopper")
    for name in ("Alan Turing", "Maximiliane Featherstonehaugh"):
        register(hall.keeper, hall, "Alone", {"name": name, "email": f"{name[:4].lower()}@example.org"})
        expect(hall.keeper.get_by_role("main")).to_contain_text("partner")
        assert hall.keeper.evaluate(SIDEWAYS) == 0
    look(hall.keeper, "partnership-waits-for-a-partner")
    for number in range(1, TEAMS + 1):
        an_entrant(fresh(hall.event), f"Team {number} & Co")


def register(phone: Page, hall: Hall, way: str, fields: dict[str, str]) -> None:
    phone.goto(f"{hall.public}register/")
    phone.get_by_text(way).click()
    for name, value in fields.items():
        phone.locator(f"[name={name}]").fill(value)
    phone.locator("[name=consent]").check()
    if "partner" in fields:
        phone.locator("[name=partner_consent]").check()
    phone.get_by_role("button", name="Enter", exact=True).click()


def draw_partners(hall: Hall) -> None:
    hall.desk.goto(f"{hall.console}partners/")
    hall.desk.get_by_role("button", name="Seal").first.click()
    hall.desk.locator("[name=public]").fill("9C 4D")
    hall.desk.get_by_role("button", name="Draw the partners").click()
    look(hall.desk, "partnership-partners-preview")
    hall.other.goto(f"{hall.public}partners/")
    expect(hall.other.get_by_text("Alan Turing &")).to_have_count(0)
    hall.desk.get_by_role("button", name="Post the pairs").click()
    hall.other.goto(f"{hall.public}partners/")
    expect(hall.other.get_by_role("main")).to_contain_text("Alan Turing")
    look(hall.other, "partnership-partners-posted")


def draw_the_event(hall: Hall) -> None:
    for entrant in fresh(hall.event).entrants.filter(state=Entrant.State.IN):
        if due := account_of(entrant).due_cents:
            take_payment(entrant, due, "cash", by=SYSTEM, key=f"paid-{entrant.pk}")
    close_event(fresh(hall.event), by=SYSTEM)
    inside = hall.event.entrants.filter(state=Entrant.State.IN)
    assert inside.count() == TEAMS + 2
    keep_in_draw(fresh(hall.event), list(inside.values_list("number", flat=True)), by=SYSTEM)
    draw(fresh(hall.event), "7H QS 2D", by=SYSTEM)
    post_draw(fresh(hall.event), by=SYSTEM)
    hall.desk.goto(f"{hall.console}rules/")
    hall.desk.get_by_role("button", name="Start play").click()
    hall.desk.get_by_role("dialog").get_by_role("button", name="Yes").click()
    expect(hall.desk.get_by_text("Play has started")).to_be_visible()


def send_and_play_one(hall: Hall) -> None:
    """Enter sends everybody; two phones play one card, and one of each team signs it."""
    hall.desk.goto(f"{hall.console}pairing/")
    look(hall.desk, "partnership-desk-before")
    hall.desk.keyboard.press("Enter")
    expect(hall.desk.get_by_text("Sent: ")).to_be_visible()
    look(hall.desk, "partnership-desk-sent")
    first, second = hall.sit_down().names
    hall.record(
        up_rank="A", up_suit="clubs",
        boards_0_outcome="gin", boards_0_by=first, boards_0_counts_B="60",
        boards_1_outcome="gin", boards_1_by=second, boards_1_counts_A="3",
        worth=f"{first} +57",
    )  # fmt: skip
    hall.record(
        up_rank="10", up_suit="diamonds",
        boards_0_outcome="gin", boards_0_by=first, boards_0_counts_B="20",
        boards_1_outcome="gin", boards_1_by=first, boards_1_counts_B="8",
    )  # fmt: skip
    hall.sign_everybody()
    hall.keeper.goto(f"/my/{hall.card.entrants[0].token}/match/")
    expect(hall.keeper.get_by_role("main")).to_contain_text("1–0")
    look(hall.keeper, "partnership-waits-for-a-game")


def qualify(hall: Hall) -> None:
    """The lower number wins; the desk sends with one key whenever somebody waits."""
    for _turn in range(30):
        on_paper(hall)
        if course_of(hall).current.is_complete:
            return
        hall.desk.goto(f"{hall.console}pairing/")
        alone = hall.desk.get_by_role("button", name="Give a bye")
        if alone.count():
            alone.click()
        else:
            hall.desk.keyboard.press("Enter")
        expect(hall.desk.locator(".messages, .notice").first).to_be_visible()
    raise AssertionError("the qualifying does not end")


def on_paper(hall: Hall) -> None:
    for meeting in load_ready_meetings(fresh(hall.event)):
        enter_on_paper(meeting)


def enter_on_paper(meeting: Meeting) -> None:
    card = open_card(meeting, 1, by=SYSTEM)
    low = min(meeting.entrants, key=lambda entrant: entrant.number)
    sides = {seat.side: seat.entrant for seat in card.seats.all()}
    totals = {side: 120 if entrant == low else 31 for side, entrant in sides.items()}
    enter_paper(card, PaperCard(totals=totals, keeper=low, signed=tuple(sides), witness="Desk"), by=SYSTEM)


def open_the_finals(hall: Hall) -> None:
    hall.desk.goto(f"{hall.console}stages/")
    expect(hall.desk.get_by_text("5 wins have the bye")).to_be_visible()
    look(hall.desk, "partnership-open-the-finals")
    hall.desk.get_by_label("What the room saw").fill("KD 2S")
    hall.desk.get_by_role("button", name="Open “Finals”").click()
    hall.other.goto(f"{hall.public}standings/")
    look(hall.other, "partnership-standings")
    assert hall.other.evaluate(SIDEWAYS) == 0
    hall.other.goto(f"{hall.public}bracket/")
    expect(hall.other.locator(".match-box").first).to_be_visible()
    look(hall.other, "partnership-finals")


def play_the_finals(hall: Hall) -> None:
    while not course_of(hall).is_complete:
        on_paper(hall)
    hall.desk.goto(f"{hall.console}results/")
    hall.desk.get_by_role("button", name="Finish the event").click()
    expect(hall.desk.get_by_role("heading", name="Prizes", level=1)).to_be_visible()


def pay(hall: Hall) -> None:
    look(hall.desk, "partnership-prizes")
    prizes = load_prizes(fresh(hall.event))
    assert prizes.pool.collected_cents == 2 * FEE
    assert sum(award.cents for award in prizes.awards) == 2 * FEE * 82 // 100
    assert prizes.awards[0].name == "Ada Lovelace / Grace Hopper"
