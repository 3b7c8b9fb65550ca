"""Test each rule set from its rule sheet to its printed card: play on phones, signatures, and paper."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import MakePage
from tests.journeys.from_sheet_to_paper import Hall, a_draft, answer
from tests.journeys.steps import sign_by_code, sign_by_drawing
from tests.processes import Process, Site
from tests.scoring.helpers.whist import enter_all, move

pytestmark = [pytest.mark.browser, pytest.mark.sample("rule sets", 10)]

TWO = ("Ada Lovelace", "Růžena Kealoha ʻŌ")
TEAMS = ("Ada Lovelace & Grace Hopper", "Alan Turing & Kurt Gödel")


@pytest.fixture(autouse=True)
def _the_real_site(live_site: Site, worker: Process) -> None:
    """Run the real site, and the worker that prints cards, for every test in this module."""


def test_gra_singles(make_page: MakePage) -> None:
    hall = Hall.of(a_draft("Singles"), "gra-singles", make_page)
    hall.choose_rules("Gin Rummy Association, singles", target="60", remarks="New decks at every second game.")
    hall.draw_and_start(TWO)
    hall.read_rules(("Points a game", "60"), ("Knock limit", "GRA singles rule 4"), ("New decks at every", ""))
    first, second = hall.sit_down().names
    hall.refuse_line(
        "GRA singles rule 4",
        up_rank="8", up_suit="hearts", outcome="knock", by=first, counts_A="9", counts_B="20",
    )  # fmt: skip
    hall.mend_line(counts_A="5")
    hall.record(up_rank="K", up_suit="spades", outcome="gin", by=second, counts_A="40", worth=f"{second} +65")
    hall.sign_everybody()
    assert hall.state.score.totals == (15, 65)
    hall.check_paper("Game 60 · Knock with the up card or less", "knock, 5 against 20", "gin, 40")


@pytest.mark.long
def test_gra_partnership(make_page: MakePage) -> None:
    hall = Hall.of(a_draft("Teams", entry_size=2), "gra-partnership", make_page)
    hall.choose_rules("Gin Rummy Association, partnership", target="60")
    hall.draw_and_start(TEAMS)
    hall.read_rules(("Points a game", "60"), ("Boards", "2"))
    first, second = hall.sit_down().names
    hall.refuse_line(
        "GRA singles rule 4",
        up_rank="8", up_suit="hearts",
        boards_0_outcome="knock", boards_0_by=first, boards_0_counts_A="9", boards_0_counts_B="31",
        boards_1_outcome="gin", boards_1_by=second, boards_1_counts_A="11",
    )  # fmt: skip
    hall.mend_line(boards_0_counts_A="8")
    hall.record(
        up_rank="A", up_suit="clubs",
        boards_0_outcome="gin", boards_0_by=first, boards_0_counts_B="60",
        boards_1_outcome="gin", boards_1_by=second, boards_1_counts_A="3",
        worth=f"{first} +57",
    )  # fmt: skip
    hall.record(
        up_rank="10", up_suit="diamonds",
        boards_0_outcome="gin", boards_0_by=second, boards_0_counts_A="20",
        boards_1_outcome="gin", boards_1_by=second, boards_1_counts_A="8",
    )  # fmt: skip
    hall.sign_everybody()
    assert hall.state.score.totals == (57, 13 + 45 + 33)
    hall.check_paper("· 2 boards", "knock, 8 against 31: 23 to")


def test_standard(make_page: MakePage) -> None:
    hall = Hall.of(a_draft("Standard gin"), "standard", make_page)
    hall.choose_rules("Standard gin", target="80", knock="this number:", knock_number="8")
    hall.draw_and_start(TWO)
    hall.read_rules(("Points a game", "80"), ("Knock limit", "8"), ("Bonus for big gin", "31"))
    first, _second = hall.sit_down().names
    hall.refuse_line("8", outcome="knock", by=first, counts_A="9", counts_B="20")
    hall.mend_line(counts_A="8")
    hall.record(outcome="big gin", by=first, counts_B="41", worth=f"{first} +72")
    hall.sign_everybody()
    assert hall.state.score.totals == (84, 0)
    hall.check_paper("Knock with 8 or less", "big gin, 41")


def test_oklahoma(make_page: MakePage) -> None:
    hall = Hall.of(a_draft("Oklahoma"), "oklahoma", make_page)
    hall.choose_rules("Oklahoma gin", target="60", game_bonus="50")
    hall.draw_and_start(TWO)
    hall.read_rules(("Bonus for the game", "50"), ("Spades double", "yes"))
    _first, second = hall.sit_down().names
    hall.refuse_line(
        "gin", up_rank="A", up_suit="spades", outcome="knock", by=second, counts_A="20", counts_B="1"
    )  # fmt: skip
    hall.mend_line(outcome="gin", counts_B="0")
    assert hall.state.score.totals == (0, 2 * 45)
    hall.sign_everybody()
    hall.check_paper("Game bonus 50", "gin, 20")


def test_hollywood(make_page: MakePage) -> None:
    hall = Hall.of(a_draft("Hollywood"), "hollywood", make_page)
    hall.choose_rules("Hollywood", target="40")
    hall.draw_and_start(TWO)
    hall.read_rules(("Points a game", "40"))
    first, second = hall.sit_down().names
    hall.refuse_line(
        "gin", up_rank="8", up_suit="hearts", outcome="gin", by=first, counts_A="3", counts_B="20"
    )  # fmt: skip
    hall.mend_line(counts_A="0")
    hall.record(up_rank="9", up_suit="clubs", outcome="gin", by=first, counts_B="21")
    hall.record(up_rank="5", up_suit="clubs", outcome="gin", by=second, counts_A="30")
    hall.sign_everybody()
    hall.check_paper("Game 40 · Knock with")


def test_word_gin(make_page: MakePage) -> None:
    hall = Hall.of(a_draft("Words"), "word-gin", make_page)
    hall.choose_rules("BWC Gin Rummy", target="150", min_letters="4")
    hall.draw_and_start(TWO)
    hall.read_rules(("Points a game", "150"), ("Letters a word", "4"))
    first, _second = hall.sit_down().names
    hall.refuse_line(
        "gin", outcome="gin", by=first, words_A="61", words_B="12", deadwood_A="5", deadwood_B="14"
    )  # fmt: skip
    hall.mend_line(deadwood_A="")
    hall.record(outcome="knock", by=first, words_A="70", words_B="31", long_words_A="1", deadwood_A="2", deadwood_B="9")
    hall.sign_everybody()
    hall.check_paper("Words of 4 letters or more")


FOUR = ("Ada Lovelace", "Růžena Kealoha ʻŌ", "Grace W. Hopper-Whitcombe", "Kurt Gödel")


def test_captain(make_page: MakePage) -> None:
    hall = Hall.of(a_draft("Three-handed"), "captain", make_page)
    hall.choose_format("tables", size="exactly 3 at a table", rounds="1")
    hall.choose_rules("Captain, three-handed gin", target="60")
    hall.draw_and_start(FOUR[:3])
    hall.read_rules(("Points a game", "60"), ("Bonus for an undercut", "10"))
    box, _captain, out = hall.sit_down(place=1).names
    hall.refuse_line(f"{out} sits out in this hand", outcome="gin", by=out, counts_A="20")
    hall.mend_line(by=box, counts_A="0", counts_B="20")
    assert hall.state.score.totals == (45, 0, 0)
    hall.record(outcome="knock", by=box, counts_A="8", counts_C="3", worth=f"{out} +15")
    hall.record(outcome="gin", by=out, counts_B="31", worth=f"{out} +56")
    hall.sign_everybody()
    assert hall.state.score.totals == (45, 0, 71)
    hall.check_paper("Game 60 · Knock with 10 or less")


@pytest.mark.long
def test_fort_worth(make_page: MakePage) -> None:
    hall = Hall.of(a_draft("Side game"), "fort-worth", make_page)
    hall.choose_format("tables", size="up to 4 at a table", rounds="1")
    hall.choose_rules("Fort Worth Gin", length="six hands", value_cents="25")
    hall.draw_and_start(FOUR)
    hall.read_rules(("Length of the game", "six hands, even numbers wild"), ("Value of a point, in cents", "25"))
    first, second, third, fourth = hall.sit_down(place=2).names
    hall.refuse_line("they take points off", by=second, counts_A="12", counts_B="3", counts_C="40", counts_D="7")
    red = hall.keeper.locator(".suit-red").all_inner_texts()
    assert [re.sub(r"\W", "", each) for each in red] == ["hearts", "diamonds"]
    hall.mend_line(counts_B="")
    hall.record(by=first, counts_B="21", counts_C="8", counts_D="33", worth=f"{first} −10")
    hall.record(by="Nobody", counts_A="14", counts_B="5", counts_C="26", counts_D="9")
    hall.record(by=third, counts_A="31", counts_B="18", counts_D="4")
    hall.record(by=fourth, counts_A="22", counts_B="40", counts_C="11")
    hall.record(by=second, counts_A="6", counts_C="17", counts_D="20")
    hall.sign_everybody()
    hall.check_paper("Six hands, even numbers wild", "A point is 25 cents")


def test_a_pad_of_the_book(make_page: MakePage) -> None:
    hall = Hall.of(a_draft("Hearts"), "score-pad", make_page)
    hall.choose_format("tables", size="exactly 4 at a table", rounds="1")
    hall.choose_rules("Score pad", preset="hearts", target="this number:", target_number="40")
    hall.draw_and_start(FOUR)
    hall.read_rules(("Played to", "40"), ("pass left", ""))
    hall.sit_down(place=3)
    hall.refuse_line("missing", points_A="20", points_B="6", points_C="0")
    hall.mend_line(points_D="0")
    hall.record(points_A="21", points_B="2", points_C="3", points_D="0")
    hall.sign_everybody()
    assert hall.state.score.totals == (41, 8, 3, 0)
    hall.check_paper("Hearts · Lowest total wins · Played to 40", "pass left")


COUPLES = ("Kurt Gödel", "Alan Turing", "Ada Lovelace", "Růžena Kealoha ʻŌ")
SIDES = ("left", "left", "right", "right")


# --- Couples ---------------------------------------------------------------------------------------------------------


def test_metzker(make_page: MakePage) -> None:
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
    """Enter the result of each table in a round, and post the round.

    If `refused` is given, check that the page refuses the round with this text.
    """
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
    """Sign for the first side by drawing, for the second side with a code, and for the scorekeeper on paper."""
    man, lady = (hall.event.entrants.filter(side=side).order_by("number")[0] for side in ("left", "right"))
    hall.open_match(hall.keeper, man)
    hall.see(hall.keeper, "complete")
    sign_by_drawing(hall.keeper)
    hall.open_match(hall.other, lady)
    sign_by_code(hall.other, lady, "Signed. Still to sign: Scorekeeper.")
    hall.desk.goto(f"{hall.console}worksheet/")
    hall.desk.get_by_role("link", name="Signed on paper").click()
    hall.desk.get_by_label("Signed on paper by").select_option("Scorekeeper")
    hall.desk.get_by_role("button", name="Signed on paper").click()
    expect(hall.desk.get_by_text("The signature is recorded.")).to_be_visible()
    hall.other.reload()
    hall.see_posted(hall.other)


# --- Court Whist -----------------------------------------------------------------------------------------------------


def test_court_whist(make_page: MakePage) -> None:
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
    """Open a player's card. Nobody cuts for the scorekeeper, because all players keep their own cards."""
    [who] = hall.take_card().entrants
    hall.open_match(hall.keeper, who)
    hall.see(hall.keeper, "begin")
    expect(hall.keeper.get_by_text("You keep your own card.")).to_be_visible()


def first_game_at_the_desk(hall: Hall) -> None:
    """Check that the desk's form contains the hands on the player's card, and enter the missing hands."""
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
    """Draw the player's signature on the phone, and record at the desk that the others signed on paper."""
    hall.open_match(hall.keeper, hall.card.entrants[0])
    hall.see(hall.keeper, "complete")
    sign_by_drawing(hall.keeper)
    hall.see_posted(hall.keeper)
    hall.desk.goto(f"{hall.console}whist/")
    hall.desk.get_by_role("button", name="All players signed on paper").click()
    expect(hall.desk.get_by_text("3 score cards are signed and posted.")).to_be_visible()
