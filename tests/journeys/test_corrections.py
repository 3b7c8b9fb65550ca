"""Test that a result can be corrected after play has gone on, and that the director can call time for a round."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Page, expect

from pairing.stages.selectors.course import load_event_stages
from scoring.card_state.selectors.players import SeatedMatch, load_ready_seated_matches
from scoring.cards.services.hands import LineEntry, add_line, record_scorekeeper
from scoring.models import Card, CardSeat, SheetLine
from tests.browser import MakePage, look
from tests.journeys.steps import Played, card_of, look_on_screens, played, sign_in
from tests.screens import SIDEWAYS
from tournament.core.permissions import make_player_actor
from tournament.models import Entrant, Event

pytestmark = pytest.mark.browser

LONG_NAME: Final = "Maximiliane Featherstonehaugh"
SCREENS: Final = {360: 740, 1280: 900}


def test_a_result_is_corrected_after_play_has_gone_on(make_page: MakePage) -> None:
    whole = played(8, "final")
    winner, loser = the_two(whole)
    page = make_page("desktop")
    sign_in(page, whole.director)
    correct(page, whole, loser)
    keep(page, whole, winner)
    take_back(page, whole, winner)


def the_two(whole: Played) -> tuple[Entrant, Entrant]:
    """Give the winner and the loser of match 1 long names, and return them."""
    progress = load_event_stages(whole.event).progress
    assert progress is not None
    view = progress["R1M1"]
    found = []
    for number in (view.winner, view.losers[0]):
        entrant = whole.event.entrants.get(number=number)
        Entrant.objects.filter(pk=entrant.pk).update(name=f"{LONG_NAME} {number}")
        CardSeat.objects.filter(entrant=entrant).update(name=f"{LONG_NAME} {number}")
        found.append(Entrant.objects.get(pk=entrant.pk))
    Event.objects.filter(pk=whole.event.pk).update(version=whole.event.version + 1000)
    return found[0], found[1]


def correct(page: Page, whole: Played, loser: Entrant) -> None:
    page.goto(f"{whole.desk}results/R1M1/")
    look_on_screens(page, "decide", SCREENS)
    page.get_by_label(f"It was played, and {loser.name} won").check()
    for field in page.locator("[name^=points_]").all():
        field.fill("160" if field.get_attribute("name") == f"points_{loser.number}" else "119")
    page.get_by_label("Reason, for the record").fill("The names were changed")
    page.get_by_role("button", name="Show the changes").click()
    expect(page.get_by_text("Nothing is recorded yet.")).to_be_visible()
    expect(page.get_by_role("heading", name="Later matches")).to_be_visible()
    look_on_screens(page, "effects", SCREENS)


def keep(page: Page, whole: Played, winner: Entrant) -> None:
    page.get_by_label("Keep it as played").first.check()
    page.get_by_role("button", name="Record result").click()
    expect(page.get_by_text("Read the changes again, then confirm.")).to_be_visible()
    expect(page.get_by_text("It stays as played.").first).to_be_visible()
    page.get_by_role("button", name="Record result").click()
    expect(page.get_by_role("heading", name="Results")).to_be_visible()
    page.goto(f"{whole.page}match/R2M1/")
    expect(page.get_by_text("Kept as played").first).to_be_visible()
    expect(page.get_by_text(winner.name).first).to_be_visible()


def take_back(page: Page, whole: Played, winner: Entrant) -> None:
    page.goto(f"{whole.desk}results/R1M1/")
    page.get_by_role("link", name="Undo the last result").click()
    page.get_by_label("Reason, for the record").fill("They were right")
    page.get_by_role("button", name="Show the changes").click()
    expect(page.get_by_text(f"{winner.name} has won").first).to_be_visible()
    page.get_by_role("button", name="Undo the result").click()
    expect(page.get_by_text("the last result is undone")).to_be_visible()
    progress = load_event_stages(whole.event).progress
    assert progress is not None
    assert progress["R1M1"].winner == winner.number
    assert not any(side.kept for view in progress.views.values() for side in view.sides)


def test_time_is_called_for_a_round(make_page: MakePage) -> None:
    whole = played(4, "drawn")
    desk, phone = make_page("desktop"), make_page("phone")
    sign_in(desk, whole.director)
    set_the_rules(desk, whole)
    begun, paper = load_ready_seated_matches(whole.event)
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
    record_scorekeeper(card, keeper, by=make_player_actor(keeper))
    line = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}
    add_line(card, LineEntry(line, via=SheetLine.Via.PHONE), by=make_player_actor(keeper))


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
    add_line(card, LineEntry(line), by=make_player_actor(keeper))
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
