"""The rule sets of three and more at a table, from the format and the rule sheet to the printed card."""

from __future__ import annotations

import re

import pytest

from tests.journeys.from_sheet_to_paper import Hall, Maker, a_draft
from tests.processes import Process, Site

pytestmark = [pytest.mark.browser, pytest.mark.sample("rule sets", 3)]

FOUR = ("Ada Lovelace", "Růžena Kealoha ʻŌ", "Grace W. Hopper-Whitcombe", "Kurt Gödel")


@pytest.fixture(autouse=True)
def _the_real_site(live_site: Site, worker: Process) -> None:
    """With the worker that prints."""


def test_captain(make_page: Maker) -> None:
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
def test_fort_worth(make_page: Maker) -> None:
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


def test_a_pad_of_the_book(make_page: Maker) -> None:
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
