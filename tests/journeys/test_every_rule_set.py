"""Each rule set of two sides, from its rule sheet to its printed card: a game on two phones, signed, on paper."""

from __future__ import annotations

import pytest

from tests.journeys.from_sheet_to_paper import Hall, Maker, a_draft
from tests.processes import Process, Site

pytestmark = [pytest.mark.browser, pytest.mark.sample("rule sets", 3)]

TWO = ("Ada Lovelace", "Růžena Kealoha ʻŌ")
TEAMS = ("Ada Lovelace & Grace Hopper", "Alan Turing & Kurt Gödel")


@pytest.fixture(autouse=True)
def _the_real_site(live_site: Site, worker: Process) -> None:
    """With the worker that prints."""


def test_gra_singles(make_page: Maker) -> None:
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
def test_gra_partnership(make_page: Maker) -> None:
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


def test_standard(make_page: Maker) -> None:
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


def test_oklahoma(make_page: Maker) -> None:
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


def test_hollywood(make_page: Maker) -> None:
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


def test_word_gin(make_page: Maker) -> None:
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
