"""Test that the forms for hands fit a phone with every rule set, and that players can correct refused hands."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, add_line, record_scorekeeper
from scoring.models import Card, SheetLine
from tests.browser import WITHOUT_NETWORK, MakePage, look
from tests.journeys.steps import leave_network, record_hand, tap_key
from tests.kit import public_url
from tests.processes import Site, until
from tests.scoring.helpers.playing import an_event_in_play, cut_for, knock, the_card, the_director
from tests.scoring.helpers.tables import a_table_card
from tests.screens import SIDEWAYS
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.models import Entrant

FIVE = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Gödel", "Emmy Noether")
SHEETS: list[tuple[str, int, dict[str, Any]]] = [
    ("captain", 3, {"outcome": "knock", "by": "A", "counts": {"A": 5, "B": 20}}),
    ("fort-worth", 5, {"by": "B", "turn": "4S", "counts": {"A": 12, "C": 40, "D": 7, "E": 33}}),
    ("court-whist", 1, {"game": 2, "hand": 1, "sit_out": True}),
    ("score-pad", 3, {"points": {"A": -15, "B": 0, "C": 30}}),
    ("metzker", 4, {"results": [{"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 12}},
                                {"outcome": "run", "by": "B", "counts": {"A": 30, "B": 4}}]}),
    ("hollywood", 2, {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}),
]  # fmt: skip


def opened(rules: str, count: int) -> tuple[Card, Entrant]:
    card = a_table_card(FIVE[:count], rules)
    first = card.match.event.entrants.select_related("event__tournament").get(number=1)
    record_scorekeeper(card, first, by=SYSTEM_ACTOR)
    return card, first


@pytest.mark.parametrize(("rules", "count", "line"), SHEETS)
def test_a_sheet_of_any_shape_fits_a_phone(make_page: MakePage, rules: str, count: int, line: dict[str, Any]) -> None:
    card, first = opened(rules, count)
    add_line(card, LineEntry(line, override="as played"), by=make_player_actor(first))
    event = card.match.event
    phone = make_page("phone")
    mine = f"/my/{first.token}/card/{card.token}/"
    for path, name in ((mine, "card"), (f"{mine}hand/", "hand"), (f"{mine}last/", "last")):
        phone.goto(path)
        look(phone, f"{rules}-{name}")
        assert phone.evaluate(SIDEWAYS) <= 0, path
    desktop = make_page("desktop")
    desktop.goto(public_url(event, f"card/{card.token}/"))
    desktop.get_by_text("How each line was counted").click()
    look(desktop, f"{rules}-public")


def test_a_line_of_two_boards_is_tapped_in_board_after_board(make_page: MakePage) -> None:
    card, first = opened("gra-partnership", 2)
    phone = make_page("phone")
    phone.goto(f"/my/{first.token}/card/{card.token}/")
    phone.get_by_role("link", name="Enter hand 1").click()
    expect(boards(phone)).to_have_count(0)
    tap_key(phone.get_by_role("group", name="Up card: rank"), "9")
    tap_key(phone.get_by_role("group", name="Up card: suit"), "spades")
    expect(boards(phone)).to_have_count(1)
    fill_board(phone, 0, "knock", "Ada Lovelace", {"A": "4", "B": "31"})
    expect(boards(phone)).to_have_count(2)
    fill_board(phone, 1, "gin", "Alan Turing", {"A": "11"})
    expect(phone.locator(".preview-worth")).to_contain_text("Alan Turing +9")
    look(phone, "two-boards")
    phone.get_by_role("button", name="Record").click()
    expect(phone.get_by_text("Hand 1 is recorded.")).to_be_visible()
    assert load_card_state_by_pk(card.pk).score.totals == (0, 9)


def boards(phone: Page) -> Locator:
    return phone.get_by_role("heading", level=2).filter(has_text=re.compile(r"^Board \d$"))


def fill_board(phone: Page, turn: int, outcome: str, by: str, counts: dict[str, str]) -> None:
    for field, answer in (("outcome", outcome), ("by", by)):
        tap_key(phone.locator(f"fieldset:has([name=boards_{turn}_{field}])").last, answer)
    for side, count in counts.items():
        phone.locator(f"[name=boards_{turn}_counts_{side}]").fill(count)


@pytest.fixture
def card(live_site: Site) -> Card:
    card = the_card(an_event_in_play(("Ada", "Alan"), target=100))
    cut_for(card)
    return card


@pytest.fixture
def phone(make_page: MakePage, live_site: Site, card: Card) -> Page:
    """Open the card page on the scorekeeper's phone, over plain http."""
    page = make_page("phone", base_url=live_site.hall, forgives=WITHOUT_NETWORK)
    page.goto(f"/my/{card.entrants[0].token}/card/{card.token}/")
    return page


def knocks(page: Page, own: str) -> None:
    record_hand(page, "5D", "knock", own, "20")


def is_refused(phone: Page) -> None:
    phone.get_by_role("link", name="Enter hand 1").click()
    knocks(phone, "9")
    expect(phone.locator("[data-hand-form][data-all]")).to_contain_text("5 is the most")  # in the site's own page


def go_back_to_card(phone: Page) -> None:
    """Go from the page of a refused hand to the card's page, and wait until the phone shows it."""
    phone.get_by_role("link", name="Back to the card").click()
    expect(phone.locator(".match-score")).to_be_visible()  # the page of the hand has the refused hand, too


def counts(card: Card) -> list[int]:
    return [line.line["counts"]["A"] for line in load_card_state_by_pk(card.pk).lines]


def nothing_is_kept(phone: Page) -> None:
    """Wait until the page has read its list of unsent hands, and check that the list is empty."""
    expect(phone.locator(".match-score")).to_be_visible()
    expect(phone.locator("[data-outbox]")).to_have_attribute("data-offline-ready", "")
    expect(phone.locator("[data-outbox-kept]")).to_be_hidden()


def test_a_refused_hand_is_put_right_from_the_card_page(phone: Page, card: Card) -> None:
    is_refused(phone)
    go_back_to_card(phone)
    again = phone.locator("[data-live-panel] .btn-lg.btn-primary")
    expect(again).to_have_text("Correct hand 1")
    assert "NaN" not in phone.content()
    again.click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Hand 1")
    expect(phone.locator("[data-outbox-refused]")).to_contain_text("5 is the most")
    phone.locator('input[name="counts_A"]').fill("3")
    phone.get_by_role("button", name="Record").click()
    nothing_is_kept(phone)
    until(lambda: counts(card) == [3])
    expect(phone.get_by_role("link", name="Enter hand 2")).to_be_visible()


def test_a_refused_hand_that_is_typed_again_from_the_start_is_replaced(phone: Page, card: Card) -> None:
    is_refused(phone)
    phone.goto(f"{phone.url}?again")  # the form as the site sends it, without the answers of before
    expect(phone.get_by_role("heading", level=1)).to_have_text("Hand 1")
    knocks(phone, "3")
    nothing_is_kept(phone)
    until(lambda: counts(card) == [3])


def test_a_hand_behind_a_dropped_one_takes_its_number(phone: Page, card: Card) -> None:
    expect(phone.get_by_role("link", name="Enter hand 1")).to_be_visible()
    leave_network(phone)
    phone.get_by_role("link", name="Enter hand 1").click()
    knocks(phone, "9")
    phone.get_by_role("heading", name="Hand 2").wait_for()
    knocks(phone, "4")
    phone.get_by_role("heading", name="Hand 3").wait_for()
    phone.get_by_role("button", name="Back to the card").click()
    phone.context.set_offline(False)
    kept = phone.locator(".outbox-hand")
    expect(kept.first).to_contain_text("5 is the most")
    expect(kept.last).to_contain_text("Hand 2 is kept on this phone. It will be sent after Hand 1.")
    kept.first.get_by_role("button", name="Drop").click()
    phone.get_by_role("button", name="Yes, continue").click()
    nothing_is_kept(phone)
    until(lambda: counts(card) == [4])


def test_a_refused_hand_goes_when_the_desk_has_entered_it_right(phone: Page, card: Card) -> None:
    is_refused(phone)
    go_back_to_card(phone)
    expect(phone.locator(".outbox-hand")).to_contain_text("5 is the most")
    the_desk_enters_it(card)
    expect(phone.get_by_text("Hand 1 is on the score card now.")).to_be_visible()
    nothing_is_kept(phone)
    until(lambda: counts(card) == [2])


def test_a_refused_hand_goes_as_soon_as_a_page_that_was_left_while_it_sent_holds_it_no_more(
    phone: Page, card: Card
) -> None:
    is_refused(phone)
    go_back_to_card(phone)
    expect(phone.locator("[data-outbox]")).to_have_attribute("data-offline-ready", "")
    until(lambda: phone.evaluate("window.outbox.store.lease('a page that was left', 2500)"))  # the page may hold it
    the_desk_enters_it(card)
    expect(phone.get_by_text("Hand 1 is on the score card now.")).to_be_visible()


def the_desk_enters_it(card: Card) -> None:
    entry: dict[str, Any] = knock("A", 2, 20, "5D")
    add_line(card, LineEntry(entry, via=SheetLine.Via.DESK), by=the_director(card.match.event))


pytestmark = pytest.mark.browser

SLOW_LIST = """
const open = IDBFactory.prototype.open;
IDBFactory.prototype.open = function (...told) {
  const request = open.apply(this, told);
  const own = {};
  for (const name of ["onsuccess", "onerror"]) {
    Object.defineProperty(request, name, { set: (work) => { own[name] = work; } });
    request.addEventListener(name.slice(2), (event) => setTimeout(() => own[name]?.(event), WAIT));
  }
  return request;
};
"""
SLOW_ANSWER = """
const ask = window.fetch;
window.fetch = async (...told) => {
  const answer = await ask(...told);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return answer;
};
"""
KEPT = """() => new Promise((resolve) => {
  indexedDB.open("outbox").onsuccess = (event) => {
    const all = event.target.result.transaction("hands").objectStore("hands").getAll();
    all.onsuccess = () => resolve(all.result.length);
  };
})"""


def open_form(page: Page, card: Card) -> None:
    page.goto(f"/my/{card.entrants[0].token}/card/{card.token}/hand/")
    page.wait_for_load_state("networkidle")


def refuse_and_mend(page: Page, card: Card) -> None:
    """Send a hand that is refused, correct it on the returned page, and check that the card has it only once."""
    record_hand(page, "5H", "knock", "9", "30")
    page.locator(".invalid-feedback, .notice.error").filter(visible=True).first.wait_for()
    page.locator('input[name="counts_A"]').fill("3")
    page.get_by_role("button", name="Record").click()
    expect(page.get_by_text("Hand 1 is recorded.")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.locator("[data-outbox]")).to_be_hidden()
    until(lambda: page.evaluate(KEPT) == 0)
    assert [line.line["counts"] for line in load_card_state_by_pk(card.pk).lines] == [{"A": 3, "B": 30}]


@pytest.mark.parametrize("wait", [700, 6000], ids=["slowly", "too-slowly"])
def test_while_the_list_is_opened(make_page: MakePage, card: Card, wait: int) -> None:
    page = make_page("phone")
    open_form(page, card)
    page.add_init_script(SLOW_LIST.replace("WAIT", str(wait)))
    refuse_and_mend(page, card)


def test_before_the_scripts_are_there(make_page: MakePage, card: Card) -> None:
    page = make_page("phone")
    open_form(page, card)
    page.route("**/js/outbox_form*.js", lambda _never: None, times=1)
    refuse_and_mend(page, card)


def test_while_the_refused_one_is_tried_again(make_page: MakePage, card: Card) -> None:
    page = make_page("phone")
    open_form(page, card)
    page.add_init_script(SLOW_ANSWER)
    refuse_and_mend(page, card)
