"""A hand is refused, put right and sent before the page has found out what this phone keeps: the card has it once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.models import Card
from tests.processes import Site, until
from tests.scoring.helpers.playing import an_event_in_play, cut_for, the_card

pytestmark = pytest.mark.browser
Maker = Callable[..., Page]

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


@pytest.fixture
def card() -> Card:
    card = the_card(an_event_in_play(("Ada", "Alan"), target=900))
    cut_for(card)
    return card


def open_form(page: Page, card: Card) -> None:
    page.goto(f"/my/{card.entrants[0].token}/card/{card.token}/hand/")
    page.wait_for_load_state("networkidle")


def refuse_and_mend(page: Page, card: Card) -> None:
    """Kept when it was refused, and mended on the page that the site sent then."""
    for name, value in (("up_rank", "5"), ("up_suit", "H"), ("outcome", "knock"), ("by", "A")):
        page.locator(f'label.key:has(input[name="{name}"][value="{value}"])').click()
    page.locator('input[name="counts_A"]').fill("9")
    page.locator('input[name="counts_B"]').fill("30")
    page.get_by_role("button", name="Record").click()
    page.locator(".invalid-feedback, .notice.error").filter(visible=True).first.wait_for()
    page.locator('input[name="counts_A"]').fill("3")
    page.get_by_role("button", name="Record").click()
    expect(page.get_by_text("Hand 1 is recorded.")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.locator("[data-outbox]")).to_be_hidden()
    until(lambda: page.evaluate(KEPT) == 0)
    assert [line.line["counts"] for line in load_card_by_pk(card.pk).lines] == [{"A": 3, "B": 30}]


@pytest.mark.parametrize("wait", [700, 6000], ids=["slowly", "too-slowly"])
def test_while_the_list_is_opened(live_site: Site, make_page: Maker, card: Card, wait: int) -> None:
    page = make_page("phone")
    open_form(page, card)
    page.add_init_script(SLOW_LIST.replace("WAIT", str(wait)))
    refuse_and_mend(page, card)


def test_before_the_scripts_are_there(live_site: Site, make_page: Maker, card: Card) -> None:
    page = make_page("phone")
    open_form(page, card)
    page.route("**/js/outbox_form*.js", lambda _never: None, times=1)
    refuse_and_mend(page, card)


def test_while_the_refused_one_is_tried_again(live_site: Site, make_page: Maker, card: Card) -> None:
    page = make_page("phone")
    open_form(page, card)
    page.add_init_script(SLOW_ANSWER)
    refuse_and_mend(page, card)
