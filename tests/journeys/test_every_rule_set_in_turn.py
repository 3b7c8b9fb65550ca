"""The rule sets of two sides that turn: the couples by the worksheet at the desk, Court Whist by cards of one's own."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.journeys.from_sheet_to_paper import Hall, Maker, a_draft, answer, sign_by_drawing
from tests.processes import Process, Site
from tests.scoring.helpers.whist import enter_all, move

pytestmark = [pytest.mark.browser, pytest.mark.sample("rule sets", 3)]

COUPLES = ("Kurt Gödel", "Alan Turing", "Ada Lovelace", "Růžena Kealoha ʻŌ")
SIDES = ("left", "left", "right", "right")


@pytest.fixture(autouse=True)
def _the_real_site(live_site: Site, worker: Process) -> None:
    """With the worker that prints."""


# --- Couples ---------------------------------------------------------------------------------------------------------


def test_metzker(make_page: Maker) -> None:
    hall = Hall.of(a_draft("Couples"), "metzker", make_page)
    hall.choose_format("rotation", left="Gentlemen", right="Ladies")
    hall.choose_rules("Metzker couples gin", target="40")
    hall.draw_and_start(COUPLES, SIDES)
    hall.read_rules(("Points a game", "40"))
    hall.take_card()
    report(hall, 1, ("run-A", "12", "30"), ("gin-A", "", "21"), refused="A run with 12: 9 is the most")
    report(hall, 1, ("run-A", "9", "30"), ("gin-A", "", "21"))
    report(hall, 2, ("gin-B", "50", ""), ("stock", "8", "8"))
    report(hall, 3, ("double-gin-A", "", "44"), ("stock", "6", "6"))
    hall.see(hall.desk, "worksheet-over")
    sign_for_a_side(hall)
    hall.check_paper("Game 40", "Gentlemen", "Ladies")


def report(hall: Hall, number: int, *tables: tuple[str, str, str], refused: str = "") -> None:
    """What every table reports of that round: how it ended, what each side has left; then the round is posted."""
    hall.desk.goto(f"{hall.console}worksheet/")
    expect(hall.desk.get_by_role("heading", name=f"Round {number}", level=2)).to_be_visible()
    for table, (how, left, right) in enumerate(tables, start=1):
        hall.desk.locator(f"[name=t{table}-how][value={how}]").check()
        hall.desk.locator(f"[name=t{table}-A]").fill(left)
        hall.desk.locator(f"[name=t{table}-B]").fill(right)
    hall.desk.get_by_role("button", name=f"Post round {number}").click()
    if not refused:
        expect(hall.desk.get_by_text(f"Round {number} is posted.")).to_be_visible()
        return
    expect(hall.desk.get_by_role("alert").filter(has_text=refused)).to_be_visible()
    expect(hall.desk.locator("[name=t1-B]")).to_have_value(tables[0][2])
    assert not hall.state.lines
    hall.see(hall.desk, "refused")


def sign_for_a_side(hall: Hall) -> None:
    """One of each side signs: the first draws, the second types their code. The scorekeeper signs on paper."""
    man, lady = (hall.event.entrants.filter(side=side).order_by("number")[0] for side in ("left", "right"))
    hall.open_match(hall.keeper, man)
    hall.see(hall.keeper, "complete")
    sign_by_drawing(hall.keeper)
    hall.open_match(hall.other, lady)
    hall.other.get_by_role("link", name="Check and sign").click()
    hall.other.get_by_label("Or enter your signing code").fill(lady.sign_code)
    hall.other.get_by_role("button", name="Sign", exact=True).click()
    expect(hall.other.get_by_text("Signed. Still to sign: Scorekeeper.")).to_be_visible()
    hall.desk.goto(f"{hall.console}worksheet/")
    hall.desk.get_by_role("link", name="Signed on paper").click()
    hall.desk.get_by_label("Signed on paper by").select_option("Scorekeeper")
    hall.desk.get_by_role("button", name="Signed on paper").click()
    expect(hall.desk.get_by_text("The signature is recorded.")).to_be_visible()
    hall.other.reload()
    hall.see_posted(hall.other)


# --- Court Whist -----------------------------------------------------------------------------------------------------


def test_court_whist(make_page: Maker) -> None:
    hall = Hall.of(a_draft("Saturday whist"), "court-whist", make_page)
    hall.choose_format("court-whist")
    hall.choose_rules("Court Whist", remarks="Tea after the fourth game.")
    hall.draw_and_start(COUPLES, SIDES)
    hall.read_rules(("Tea after the fourth game.", ""), ("The seven games", ""))
    begin_own_card(hall)
    hall.refuse_line("13", game="1 Coronation", line_hand="1", tricks="14")
    hall.mend_line(tricks="7")
    hall.record(game="1 Coronation", line_hand="2", tricks="6", worth="+6")
    first_game_at_the_desk(hall)
    move(hall.event)
    for _game in range(2, 7):
        enter_all(hall.event)
        move(hall.event)
    enter_all(hall.event)
    sign_own_card(hall)
    hall.check_paper("Game 1", "Grand total", *COUPLES)


def begin_own_card(hall: Hall) -> None:
    """Nobody cuts for it: all players keep their own."""
    [who] = hall.take_card().entrants
    hall.open_match(hall.keeper, who)
    hall.see(hall.keeper, "begin")
    expect(hall.keeper.get_by_text("You keep your own card.")).to_be_visible()


def first_game_at_the_desk(hall: Hall) -> None:
    """What stands on the player's card stands in the form; the other couple has the rest."""
    hall.desk.goto(f"{hall.console}whist/")
    hall.desk.get_by_role("link", name="Enter table 1").click()
    filled = [hall.desk.locator(f"[name=c{couple}_1]").input_value() for couple in (0, 1)]
    own = filled.index("7")
    assert filled[1 - own] == ""
    for hand, tricks in ((3, "9"), (4, "4")):
        answer(hall.desk.locator(f"[name=c{own}_{hand}]"), tricks)
    hall.see(hall.desk, "table")
    hall.desk.get_by_role("button", name="Record table 1").click()
    expect(hall.desk.get_by_text("Table 1 is entered.")).to_be_visible()
    hall.see(hall.desk, "desk")
    assert hall.state.score.totals == (7 + 6 + 9 + 4,)


def sign_own_card(hall: Hall) -> None:
    """The player draws on their phone; the desk has the paper of the others."""
    hall.open_match(hall.keeper, hall.card.entrants[0])
    hall.see(hall.keeper, "complete")
    sign_by_drawing(hall.keeper)
    hall.see_posted(hall.keeper)
    hall.desk.goto(f"{hall.console}whist/")
    hall.desk.get_by_role("button", name="All players signed on paper").click()
    expect(hall.desk.get_by_text("3 score cards are signed and posted.")).to_be_visible()
