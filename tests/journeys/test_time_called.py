"""A final longer than the rest, and time called for a round: as the director, two players and the hall live it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from scoring.card_state.selectors.players import SeatedMatch, load_ready_meetings
from scoring.cards.services.hands import LineEntry, add_line, record_cut
from scoring.models import Card, CardSeat, SheetLine
from tests.browser import look
from tests.journeys.steps import Played, card_of, played, sign_in
from tests.processes import Site
from tests.screens import SIDEWAYS
from tournament.core.permissions import player
from tournament.models import Entrant

pytestmark = pytest.mark.browser

LONG_NAME: Final = "Maximiliane Featherstonehaugh"
Maker = Callable[..., Page]


def test_time_is_called_for_a_round(live_site: Site, make_page: Maker) -> None:
    whole = played(4, "drawn")
    desk, phone = make_page("desktop"), make_page("phone")
    sign_in(desk, whole.director)
    set_the_rules(desk, whole)
    begun, paper = load_ready_meetings(whole.event)
    lengthen_the_names(paper)
    write_a_hand(begun)
    call_time(desk, whole, begun, paper)
    play_the_last_hand(phone, begun)
    see_the_final(phone, desk, whole, begun)
    take_it_back(desk, whole, paper)


def set_the_rules(desk: Page, whole: Played) -> None:
    desk.goto(f"{whole.desk}rules/")
    desk.get_by_text("Longer or shorter matches in some rounds").click()
    desk.get_by_label("Final: points per game").fill("500")
    desk.get_by_label("An unfinished game when time is called").select_option("last-hand")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("is saved")).to_be_visible()
    look(desk, "lengths-on-the-rule-sheet")
    desk.get_by_role("link", name="Start play").click()
    desk.get_by_role("button", name="Start play").click()
    expect(desk.get_by_text("Play has started")).to_be_visible()
    desk.goto(f"{whole.page}rules/")
    expect(desk.get_by_role("row", name="Final")).to_contain_text("to 500")
    expect(desk.get_by_role("row", name="Unfinished game")).to_contain_text("The last hand is played out")
    look(desk, "lengths-as-published")


def lengthen_the_names(meeting: SeatedMatch) -> None:
    for entrant in meeting.entrants:
        Entrant.objects.filter(pk=entrant.pk).update(name=f"{LONG_NAME} {entrant.number}")
        CardSeat.objects.filter(entrant=entrant).update(name=f"{LONG_NAME} {entrant.number}")


def write_a_hand(meeting: SeatedMatch) -> None:
    card = card_of(meeting)
    keeper = meeting.entrants[0]
    record_cut(card, keeper, by=player(keeper))
    line = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}
    add_line(card, LineEntry(line, via=SheetLine.Via.PHONE), by=player(keeper))


def call_time(desk: Page, whole: Played, begun: SeatedMatch, paper: SeatedMatch) -> None:
    desk.goto(f"{whole.desk}cards/")
    desk.get_by_role("link", name="Call time").click()
    kept = card_of(paper)
    for side, total in (("A", "64"), ("B", "87")):
        desk.locator(f"#id_total-{kept.pk}-{side}").fill(total)
    look(desk, "time-is-called")
    desk.get_by_role("button", name="Call time and close these 2 games").click()
    expect(desk.get_by_text("The last hand is being played: ")).to_contain_text(begun.names)
    expect(desk.get_by_text("Closed: ")).to_contain_text(LONG_NAME)


def play_the_last_hand(phone: Page, meeting: SeatedMatch) -> None:
    keeper = meeting.entrants[0]
    phone.goto(f"/my/{keeper.token}/match/")
    expect(phone.get_by_text("Enter the hand being played")).to_be_visible()
    look(phone, "last-hand-on-the-phone")
    line = {"up": "9C", "outcome": "gin", "by": "B", "counts": {"A": 40, "B": 0}}
    card = card_of(meeting)
    add_line(card, LineEntry(line), by=player(keeper))
    phone.goto(f"/my/{keeper.token}/card/{card.token}/")
    expect(phone.get_by_text(f"{meeting.entrants[1].name} leads 65–45.")).to_be_visible()
    look(phone, "closed-on-the-phone")


def see_the_final(phone: Page, desk: Page, whole: Played, begun: SeatedMatch) -> None:
    phone.goto(f"/my/{begun.entrants[1].token}/match/")
    expect(phone.locator(".match-terms")).to_contain_text("to 500")
    assert Card.objects.get(match__event=whole.event, match__ident="R2M1").length == {"options": {"target": 500}}
    desk.goto(f"{whole.page}card/{card_of(begun).token}/")
    expect(desk.get_by_text("Time was called.", exact=True)).to_be_visible()
    look(desk, "a-closed-card")


def take_it_back(desk: Page, whole: Played, paper: SeatedMatch) -> None:
    desk.goto(f"{whole.desk}cards/{card_of(paper).token}/")
    desk.get_by_text("Undo: the game goes on").click()
    desk.get_by_label("Why the game is opened again").fill("They had begun late")
    desk.get_by_role("button", name="Undo the closing").click()
    expect(desk.get_by_text("The game is open again")).to_be_visible()
    desk.get_by_text("A player left before the end").click()
    look(desk, "somebody-has-left")
    desk.set_viewport_size({"width": 360, "height": 740})
    for page in ("time/", "rules/", f"cards/{card_of(paper).token}/"):
        desk.goto(f"{whole.desk}{page}")
        assert desk.evaluate(SIDEWAYS) <= 0, page
        look(desk, f"closing-at-the-desk-{page.split('/')[0]}-phone")
