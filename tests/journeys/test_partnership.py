"""Test a partnership event from the first entry to the last payout, with a desk and two phones.

The test does everything on the site's pages, except for the entries of most pairs. The pair with the better record
wins each match. If the records are equal, the pair with the lower number wins. So after any draw, one pair has five
wins, and others have four.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from pairing.stages.selectors.course import EventStages, load_event_stages
from pairing.stages.selectors.kinds import StageState
from pairing.stages.selectors.pools import PoolStage
from pairing.stages.selectors.records import load_called_tables
from tests.browser import MakePage, look, press
from tests.factories import a_tournament, an_entrant, an_event
from tests.journeys.from_sheet_to_paper import Hall
from tests.journeys.steps import finish_over_what_is_open
from tests.kit import fresh
from tests.processes import Process, Site
from tests.screens import SIDEWAYS
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.selectors.prizes import load_prizes

pytestmark = pytest.mark.browser

TEAMS: Final = 12
"""The number of pairs besides two others: one pair that enters on the site's pages, and one that is drawn."""

ADA: Final = "Ada Lovelace / Grace Hopper"
FEE: Final = 100_00
"""The fee for a pair in cents.

The pair that enters on the site's pages owes the whole fee, and two drawn partners owe half of the fee each.
"""


@pytest.fixture(autouse=True)
def _the_real_site(live_site: Site, worker: Process) -> None:
    """Run the real site and the Celery worker for every test in this module."""


@pytest.mark.long
def test_the_partnership_event(make_page: MakePage) -> None:
    event = an_event(a_tournament(), name="Partnership", state=Event.State.DRAFT, fee_cents=FEE, entry_size=2)
    hall = Hall.of(event, "gra-partnership", make_page)
    plan_it(hall)
    enter(hall)
    draw_partners(hall)
    pay_the_fees(hall)
    draw_the_event(hall)
    send_and_play_one(hall)
    qualify(hall)
    open_the_finals(hall)
    play_the_finals(hall)
    pay(hall)


def stage_of(hall: Hall) -> StageState:
    return course_of(hall).current_stage


def course_of(hall: Hall) -> EventStages:
    course = load_event_stages(fresh(hall.event))
    return course


def plan_it(hall: Hall) -> None:
    """Plan five games to 60, in which four wins are enough to advance, and a final to 100."""
    hall.desk.goto(f"{hall.console}format/")
    hall.desk.locator("[name=format][value=stages]").check()
    hall.desk.get_by_role("button", name="GRA partnership").click()
    hall.desk.get_by_role("button", name="Save").click()
    expect(hall.desk.get_by_text("The format is saved.")).to_be_visible()
    hall.choose_rules("Gin Rummy Association, partnership", target="60")
    hall.desk.locator("details.lengths > summary").click()
    hall.desk.get_by_label("Final: points per game").fill("100")
    hall.desk.get_by_role("button", name="Save").click()
    expect(hall.desk.get_by_text("Rule sheet version 2 is saved.")).to_be_visible()


def enter(hall: Hall) -> None:
    """Enter two players as a pair, two players who ask for a partner on their phones, and some other pairs."""
    hall.desk.goto(hall.console)
    hall.desk.get_by_role("main").get_by_role("button", name="Open registration").click()
    expect(hall.desk.get_by_text("Registration is open")).to_be_visible()
    together = {"name": "Ada Lovelace", "partner": "Grace Hopper"}
    register(hall.other, hall, "With my partner", together)
    expect(hall.other.get_by_role("main")).to_contain_text("Grace Hopper")
    for name in ("Alan Turing", "Maximiliane Featherstonehaugh"):
        register(hall.keeper, hall, "Alone", {"name": name})
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
    for card in ("nine of clubs", "four of diamonds"):
        hall.desk.get_by_label(card).check(force=True)
    hall.desk.get_by_role("button", name="Draw the partners").click()
    look(hall.desk, "partnership-partners-preview")
    hall.other.goto(f"{hall.public}partners/")
    expect(hall.other.get_by_text("Alan Turing &")).to_have_count(0)
    hall.desk.get_by_role("button", name="Post the pairs").click()
    hall.other.goto(f"{hall.public}partners/")
    expect(hall.other.get_by_role("main")).to_contain_text("Alan Turing")
    look(hall.other, "partnership-partners-posted")


def pay_the_fees(hall: Hall) -> None:
    owing = [
        entrant for entrant in fresh(hall.event).entrants.order_by("number") if load_entry_account(entrant).due_cents
    ]
    for entrant in owing:
        hall.desk.goto(f"{hall.console}entrants/{entrant.number}/money/")
        hall.desk.get_by_role("button", name="Take payment").click()
        expect(hall.desk.locator("dl.facts dd").last).to_have_text("$0.00")


def draw_the_event(hall: Hall) -> None:
    """Close registration, post a draw on a single page, and start play."""
    hall.desk.goto(f"{hall.console}draw/")
    hall.desk.get_by_role("button", name="Close registration").click()
    doubtful = hall.desk.locator("[id^=doubt-]")
    for number in range(doubtful.count()):
        doubtful.nth(number).check()
    hall.desk.get_by_role("button", name="Play them anyway").click()
    hall.desk.get_by_text("Enter something else").click()
    hall.desk.get_by_label("What the room saw").fill("7H QS 2D")
    hall.desk.get_by_role("button", name="Draw", exact=True).click()
    hall.desk.get_by_role("button", name="Post the draw").click()
    expect(hall.desk.get_by_text("The draw is posted.").first).to_be_visible()
    assert hall.event.entrants.filter(state=Entrant.State.IN).count() == TEAMS + 2
    hall.desk.goto(f"{hall.console}rules/")
    hall.desk.get_by_role("link", name="Start play").click()
    hall.desk.get_by_role("button", name="Start play").click()
    expect(hall.desk.get_by_text("Play has started")).to_be_visible()


def send_and_play_one(hall: Hall) -> None:
    """Play one card on two phones, and let one player of each pair sign it."""
    hall.desk.goto(f"{hall.console}pairing/")
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
    """Pair waiting entrants with one key at the desk, and enter the results, until qualifying is complete."""
    hall.other.goto(f"{hall.public}rules/")
    for _turn in range(30):
        type_results(hall)
        if stage_of(hall).is_complete:
            return
        send(hall)
    raise AssertionError("the qualifying does not end")


def send(hall: Hall) -> None:
    hall.desk.goto(f"{hall.console}pairing/")
    alone = hall.desk.get_by_role("button", name="Give a bye")
    if alone.count():
        alone.click()
        expect(hall.desk.get_by_text("A bye counts as a win")).to_be_visible()
        hall.desk.get_by_role("button", name=re.compile("^Give .+ a bye$")).click()
    else:
        press(hall.desk, "Enter")
    expect(hall.desk.locator(".messages, .notice").first).to_be_visible()


def type_results(hall: Hall) -> None:
    stage = stage_of(hall)
    for ident, table in load_called_tables(fresh(hall.event), stage.ready_matches).items():
        sides = stage.match_states[ident].entries
        type_card(hall, table, winner=hall.event.entrants.get(number=max(sides, key=strength_of(stage))))


def strength_of(stage: StageState) -> Callable[[int], tuple[int, int]]:
    pool = stage.pool if isinstance(stage, PoolStage) else None
    records = {entry: one.record for entry, one in pool.qualifying.entrants.items()} if pool is not None else {}
    return lambda entry: (records[entry].wins - records[entry].losses if records else 0, -entry)


def type_card(hall: Hall, table: int, winner: Entrant) -> None:
    hall.desk.goto(f"{hall.console}cards/enter/?table={table}")
    for field, words in zip(
        hall.desk.locator(".desk-totals input").all(),
        hall.desk.locator(".desk-totals label").all_inner_texts(),
        strict=True,
    ):
        field.fill("120" if words.strip() == winner.name else "31")
    press(hall.desk, "F2")
    expect(hall.desk.get_by_role("region", name="Last").get_by_text("120").first).to_be_visible()


def open_the_finals(hall: Hall) -> None:
    """Open the finals, and check that everybody can read why the pair with five wins has the bye."""
    said = "All with 5 wins get a bye"
    hall.desk.goto(f"{hall.console}stages/")
    expect(hall.desk.get_by_text(said)).to_be_visible()
    look(hall.desk, "partnership-open-the-finals")
    hall.desk.get_by_text("Enter something else").click()
    hall.desk.get_by_label("What the room saw").fill("KD 2S")
    hall.desk.get_by_role("button", name="Open “Finals”").click()
    hall.other.goto(f"{hall.public}stages/2/why/")
    expect(hall.other.get_by_text(said)).to_be_visible()
    look(hall.other, "partnership-why-the-finals")
    assert hall.other.evaluate(SIDEWAYS) == 0
    hall.other.goto(f"{hall.public}standings/")
    look(hall.other, "partnership-standings")
    assert hall.other.evaluate(SIDEWAYS) == 0
    hall.other.goto(f"{hall.public}bracket/")
    expect(hall.other.locator(".match-box").first).to_be_visible()
    look(hall.other, "partnership-finals")


def play_the_finals(hall: Hall) -> None:
    for length in ("to 60", "to 100"):
        send(hall)
        table = next(iter(load_called_tables(fresh(hall.event), stage_of(hall).ready_matches).values()))
        hall.desk.goto(f"{hall.console}cards/enter/?table={table}")
        expect(hall.desk.locator(".desk-card h2")).to_contain_text(re.compile(rf"{length}\b"))
        type_results(hall)
    assert course_of(hall).is_complete
    hall.other.goto(f"{hall.public}standings/")
    expect(hall.other.get_by_text(f"{ADA} wins.")).to_be_visible()
    hall.desk.goto(f"{hall.console}results/")
    hall.desk.get_by_role("button", name="Finish the event").click()
    finish_over_what_is_open(hall.desk)
    expect(hall.desk.get_by_role("heading", name="Prizes", level=1)).to_be_visible()


def pay(hall: Hall) -> None:
    look(hall.desk, "partnership-prizes")
    prizes = load_prizes(fresh(hall.event))
    assert prizes.pool.collected_cents == 2 * FEE
    assert sum(award.cents for award in prizes.awards) == 2 * FEE * 82 // 100
    assert prizes.awards[0].name == ADA
    hall.desk.get_by_role("link", name="paid out").first.click()
    expect(hall.desk.get_by_role("heading", name=f"Pay {ADA}")).to_be_visible()
    hall.desk.get_by_role("button", name="paid out").first.click()
    expect(hall.desk.get_by_text("paid out to").first).to_be_visible()
