"""Test live pages: which pages a write updates, what they show without the network, and what hidden tabs do.

In the last test, pages stay open during a random event. After some actions, each page is compared with a fresh copy,
text by text and link by link.
"""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass, field
from typing import Final

import pytest
from playwright.sync_api import Page, Route, expect

from scoring.cards.services.hands import record_scorekeeper
from scoring.models import Card
from scoring.posting.services.opening import start_play
from scoring.rehearsal.services.play import ActionRecord
from scoring.rehearsal.services.random_event import RandomEvent
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.browser import HIDE, WITHOUT_NETWORK, MakePage, look, settle
from tests.chance import QUICK, SEED
from tests.factories import a_user, an_entrant, an_event
from tests.journeys.steps import leave_network, open_live, sign_in
from tests.kit import desk_url, public_url
from tests.pairing.helpers.desk import beside, other_of
from tests.pairing.helpers.events import win
from tests.pairing.helpers.stages import FINALS, QUALIFIER, staged
from tests.processes import Site
from tests.scoring.helpers.playing import a_drawn_event, an_event_in_play, cut_for, gin, play, the_director
from tests.slow import SLOW
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Event, User
from tournament.money.services.fees_and_refunds import charge_fee, take_payment
from tournament.registration.services.entries import substitute_player
from tournament.registration.services.people import Person

pytestmark = pytest.mark.browser

HEADING_AT = "document.querySelector('h1').getBoundingClientRect().top"


@pytest.fixture
def event(live_site: Site) -> Event:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"), target=900)
    for card in Card.objects.all():
        cut_for(card)
    return event


def card_page(page: Page, card: Card) -> None:
    """Open a card, and wait until it receives live updates and can be used offline."""
    open_live(page, f"/my/{card.entrants[0].token}/card/{card.token}/")
    expect(page.locator("[data-outbox]")).to_have_attribute("data-offline-ready", "")


def test_a_hand_wakes_its_own_table_and_no_other(make_page: MakePage, event: Event) -> None:
    cards = list(Card.objects.order_by("pk"))
    mine, other, bracket = make_page("phone"), make_page("phone"), make_page("phone")
    card_page(mine, cards[0])
    card_page(other, cards[1])
    play(cards[0], gin("A", 20, "8H"))
    play(cards[1], gin("A", 20, "8H"))
    open_live(bracket, public_url(event, "bracket/"))
    for page in (mine, other):
        expect(page.get_by_text("Last hand:")).to_be_visible()
    asked: list[str] = []
    for page in (other, bracket):
        page.on("request", lambda request: asked.append(request.url))
    play(cards[0], gin("B", 31, "9H"))
    expect(mine.get_by_text("31").first).to_be_visible()
    assert not [url for url in asked if "/live/" not in url]
    play(cards[1], gin("B", 32, "9H"))
    expect(other.get_by_text("32").first).to_be_visible()
    assert len([url for url in asked if "/card/" in url]) == 1


@pytest.mark.parametrize("at_desk", [False, True], ids=["phone", "desk"])
def test_a_page_that_is_cut_off_says_since_when(make_page: MakePage, event: Event, at_desk: bool) -> None:
    page = make_page("desktop" if at_desk else "phone", forgives=WITHOUT_NETWORK)
    if at_desk:
        sign_in(page, a_user("desk", event.tournament))
        page.goto(desk_url(event))
    else:
        card_page(page, Card.objects.first())  # type: ignore[arg-type]
    word = page.locator("[data-live-word]")
    expect(word).to_have_text("Live")
    page.context.set_offline(True)
    expect(word).to_have_text(re.compile(r"^Offline since \d{1,2}:\d\d [AP]M$"))
    look(page, f"live-offline-{'desk' if at_desk else 'phone'}")
    page.context.set_offline(False)
    expect(word).to_have_text("Live")


@pytest.mark.parametrize("at_desk", [False, True], ids=["phone", "desk"])
def test_a_page_that_fetches_nothing_never_says_live(make_page: MakePage, event: Event, at_desk: bool) -> None:
    page = make_page("desktop" if at_desk else "phone", forgives=WITHOUT_NETWORK)
    where = f"{event.tournament.slug}/{event.slug}"
    if at_desk:
        sign_in(page, a_user("desk", event.tournament))
    with page.expect_response(lambda answer: "/live/" in answer.url):
        page.goto(f"/desk/{where}/entrants/" if at_desk else f"/t/{where}/prizes/")
    expect(page.locator('[data-live-panel], [hx-trigger~="live"]')).to_have_count(0)
    word, heading_at = page.locator("[data-live-word]"), page.evaluate(HEADING_AT)
    page.wait_for_timeout(500)
    expect(word).to_have_text("")
    expect(word).to_be_hidden()
    page.context.set_offline(True)
    expect(word).to_have_text(re.compile(r"^Offline since \d{1,2}:\d\d [AP]M$"))
    expect(word).to_be_visible()
    assert page.evaluate(HEADING_AT) == heading_at
    page.context.set_offline(False)
    expect(word).to_have_text("")
    expect(word).to_be_hidden()
    assert page.evaluate(HEADING_AT) == heading_at


def test_a_tab_that_nobody_looks_at_waits(make_page: MakePage, event: Event) -> None:
    page, card = make_page("phone"), Card.objects.order_by("pk")[0]
    card_page(page, card)
    page.evaluate(HIDE, True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    play(card, gin("A", 47, "8H"))
    page.wait_for_timeout(2500)
    expect(page.get_by_text("47")).to_have_count(0)
    assert not asked
    page.evaluate(HIDE, False)
    expect(page.get_by_text("47").first).to_be_visible()


def test_ten_tabs_of_one_browser_open(make_page: MakePage, event: Event) -> None:
    """A browser opens at most six connections to a site, so hidden tabs have to close their connections."""
    first, card = make_page("phone"), Card.objects.order_by("pk")[0]
    for tab in (first, *(first.context.new_page() for _ in range(9))):
        card_page(tab, card)
        tab.evaluate(HIDE, True)
    play(card, gin("A", 47, "8H"))
    first.evaluate(HIDE, False)
    expect(first.get_by_text("47").first).to_be_visible()


def test_a_hidden_tab_does_not_ask_again_for_what_failed(make_page: MakePage, event: Event) -> None:
    page, card = make_page("phone", forgives="503"), Card.objects.order_by("pk")[0]
    card_page(page, card)
    asked: list[str] = []

    def refuse_once(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.fulfill(status=503, headers={"Retry-After": "2"}, body="Too much to do.")
        else:
            route.continue_()

    page.route(lambda url: url.endswith(f"/card/{card.token}/"), refuse_once)  # not the form that it keeps for later
    with page.expect_response(lambda answer: answer.status == 503):
        play(card, gin("A", 47, "8H"))
    page.evaluate(HIDE, True)
    page.wait_for_timeout(5000)
    assert len(asked) == 1
    page.evaluate(HIDE, False)
    expect(page.get_by_text("47").first).to_be_visible()
    page.wait_for_timeout(1000)
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("path", "part"), [("today/", "#today-live"), ("pairing/", "#desk-live")], ids=["today", "pairing"]
)
def test_what_the_time_changes_is_fetched_every_minute_while_somebody_looks(
    make_page: MakePage, path: str, part: str
) -> None:
    event = staged(8, QUALIFIER, FINALS)
    address = desk_url(event, path)
    page = make_page("desktop")
    sign_in(page, a_user("director", event.tournament))
    page.clock.install()
    open_live(page, address)
    expect(page.locator(part)).to_have_attribute("hx-trigger", "live")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith(address) else None)
    page.locator(part).evaluate("part => part.setAttribute('data-before', '')")
    page.clock.run_for(40_000)
    page.wait_for_timeout(500)
    assert not asked
    page.clock.run_for(30_000)
    expect(page.locator("[data-before]")).to_have_count(0)
    assert len(asked) == 1
    page.locator(part).evaluate("part => part.setAttribute('data-before', '')")
    page.clock.run_for(10_000)
    page.evaluate(HIDE, True)
    page.clock.run_for(150_000)
    page.wait_for_timeout(500)
    assert len(asked) == 1
    page.evaluate(HIDE, False)
    expect(page.locator("[data-before]")).to_have_count(0)
    page.wait_for_timeout(500)
    assert len(asked) == 2


def test_news_that_comes_while_the_page_is_fetched_is_fetched_too(make_page: MakePage) -> None:
    """The first response is rendered before the second payment, so the page has to send another request."""
    entrant = an_entrant(an_event(fee_cents=10_000))
    with writing(entrant.event, verb="entry", by=SYSTEM_ACTOR) as write:
        charge_fee(write, entrant)
    page, where = make_page("phone"), f"/my/{entrant.token}/"
    open_live(page, where)
    expect(page.locator(".own-money")).to_contain_text("$100.00")
    asked: list[str] = []

    def hold_the_first(route: Route) -> None:
        asked.append(route.request.url)
        answer = route.fetch()
        if len(asked) == 1:
            take_payment(entrant, 3_000, "cash", by=SYSTEM_ACTOR, key="second")
            time.sleep(2)  # the page hears of it meanwhile
        route.fulfill(response=answer)

    page.route(lambda url: url.endswith(where), hold_the_first)
    take_payment(entrant, 2_000, "cash", by=SYSTEM_ACTOR, key="first")
    expect(page.locator(".own-money")).to_contain_text("$50.00")
    assert len(asked) == 2


def test_somebody_who_walks_by_keys_stays_on_the_link_when_news_comes(make_page: MakePage, event: Event) -> None:
    page, card = make_page("desktop"), Card.objects.order_by("pk")[0]
    open_live(page, public_url(event))
    link = page.locator("[data-live-panel] a").last
    where = link.get_attribute("href")
    link.focus()
    page.locator("[data-live-panel] > *").first.evaluate("part => part.setAttribute('data-before', '')")
    play(card, gin("A", 47, "8H"))
    expect(page.locator("[data-before]")).to_have_count(0)
    expect(page.locator(":focus")).to_have_attribute("href", str(where))


@pytest.mark.parametrize("path", ["", "match/"])
def test_a_page_of_a_link_that_was_replaced_says_so(make_page: MakePage, path: str) -> None:
    entrant = an_entrant(an_event(), name="Ada Lovelace")
    page = make_page("phone")
    open_live(page, f"/my/{entrant.token}/{path}")
    by = the_director(entrant.event)
    substitute_player(entrant, 1, Person("Mary Somerville"), by=by, reason="Ada is ill")
    expect(page.get_by_text("Ada Lovelace")).to_have_count(0)
    expect(page.get_by_text("This private link is not valid.")).to_be_visible()


def test_news_does_not_stop_somebody_who_is_on_the_way_to_another_page(make_page: MakePage) -> None:
    entrant = an_entrant(an_event(), name="Ada Lovelace")
    page, where = make_page("phone"), public_url(entrant.event)
    open_live(page, f"/my/{entrant.token}/")
    held: list[Route] = []
    page.route(f"**{where}", lambda route: held.append(route))
    with page.expect_request(f"**{where}"):
        page.evaluate("where => { location.href = where; }", where)
    with page.expect_response(lambda answer: "HX-Refresh" in answer.headers or answer.status == 404):
        substitute_player(entrant, 1, Person("Mary Somerville"), by=the_director(entrant.event), reason="Ada is ill")
    page.wait_for_timeout(500)
    held[0].continue_()
    expect(page).to_have_url(re.compile(f"{where}$"))


def test_a_desk_page_follows_the_tables_of_another_event(make_page: MakePage) -> None:
    event = beside()
    page, path = make_page("desktop"), desk_url(event, "tables/")
    sign_in(page, a_user("director", event.tournament))
    open_live(page, path)
    assert page.locator('input[name="first"]').input_value() == "3"
    win(other_of(event), "R1M1")
    win(other_of(event), "R1M2")
    expect(page.locator('input[name="first"]')).to_have_value("1")


@pytest.fixture
def drawn_event(live_site: Site) -> Event:
    drawn_event = a_drawn_event(("Ada", "Alan"))
    save_rule_sheet(drawn_event, ChosenRules("gra-singles", {"target": 50}, 1), by=SYSTEM_ACTOR)
    return drawn_event


def test_the_card_comes_by_itself(make_page: MakePage, drawn_event: Event) -> None:
    page = make_page("phone", forgives=WITHOUT_NETWORK)
    _waits_until_play_starts(page, drawn_event)
    expect(page.get_by_role("main")).to_have_count(1)
    expect(page).to_have_title(re.compile("Game 1 against Alan"))
    _keeps_hands_offline(page)
    _follows_its_card(page, drawn_event)
    look(page, "card-that-came")
    came = _places(page)
    page.reload()
    expect(page.locator(".match-score")).to_be_visible()
    assert came == _places(page), "everything stands where it stands on a card that was opened as one"


def test_a_card_that_came_by_plain_http_takes_its_first_hand_without_the_network(
    make_page: MakePage, live_site: Site, drawn_event: Event
) -> None:
    page = make_page("phone", base_url=live_site.hall, forgives=WITHOUT_NETWORK)
    _waits_until_play_starts(page, drawn_event)
    card = Card.objects.get(match__event=drawn_event)
    record_scorekeeper(card, drawn_event.entrants.get(number=1), by=SYSTEM_ACTOR)
    expect(page.get_by_role("link", name="Enter hand 1")).to_be_visible()
    leave_network(page)
    page.get_by_role("link", name="Enter hand 1").click()
    expect(page.get_by_role("heading", name="Hand 1")).to_be_visible()


def _waits_until_play_starts(page: Page, drawn_event: Event) -> None:
    open_live(page, f"/my/{drawn_event.entrants.get(number=1).token}/match/")
    expect(page.get_by_role("heading", name="My match")).to_be_visible()
    start_play(drawn_event, by=SYSTEM_ACTOR)
    expect(page.locator(".match-score")).to_be_visible()


def _keeps_hands_offline(page: Page) -> None:
    no_network = page.locator("[data-outbox-off]")
    leave_network(page)
    expect(no_network).to_be_visible()
    page.context.set_offline(False)
    expect(no_network).to_be_hidden()


def _follows_its_card(page: Page, drawn_event: Event) -> None:
    card = Card.objects.get(match__event=drawn_event)
    record_scorekeeper(card, card.entrants[1], by=SYSTEM_ACTOR)
    expect(page.get_by_text("Every hand appears here at once")).to_be_visible()


def _places(page: Page) -> list[dict[str, float] | None]:
    return [page.locator(part).first.bounding_box() for part in (".over", ".match-head", ".match-score", ".card-more")]


KINDS: Final = [("knockout", "gra-singles")] if QUICK else [("knockout", "gra-singles"), ("swiss-pairs", "hollywood")]
MOST_ACTS: Final = 45 if QUICK else 10_000
COMPARED: Final = 0.15 if QUICK else 0.5
"""The share of actions after which all pages are compared."""
PUBLIC: Final = ("", "bracket/", "pairings/", "standings/", "draw/", "wall/")
DESK: Final = ("today/", "pairing/", "tables/", "cards/", "results/")
OWN: Final = ("", "match/")
PLAYERS: Final = 2
LONGEST: Final = 15.0 * SLOW
"""The maximum number of seconds until a page shows a change.

A page without a stream asks for changes every ten seconds.
"""
DIFFERENCES: Final = """
async (path) => {
    const follows = (page) => page.querySelector('[data-live-panel], [hx-trigger~="live"]');
    if (!document.querySelector("[data-live-word]") || !follows(document)) return [];
    // What scripts say by themselves, and what the clock changes: neither is told by the server.
    // A wall shows a screenful at a time: what it hides counts.
    const own = "template, script, [hidden]:not([data-wall-pager] *), [data-live-word], [data-outbox], [data-clock], "
        + "[data-until], #messages";
    const told = (page) => {
        const main = page.querySelector("main").cloneNode(true);
        main.querySelectorAll(own).forEach((part) => part.remove());
        const said = [], walk = page.createTreeWalker(main, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
        while (walk.nextNode()) {
            const { nodeType, data } = walk.currentNode;
            const text = nodeType === Node.TEXT_NODE ? data : walk.currentNode.getAttribute("href");
            if (text?.trim()) said.push(text.replace(/\\s+/g, " ").trim().replace(/\\b\\d+ min\\b/g, "some min"));
        }
        return said;
    };
    const answer = await fetch(path, { cache: "no-store" });
    const fresh = told(new DOMParser().parseFromString(await answer.text(), "text/html")), open = told(document);
    let start = 0, end = 0;
    while (start < Math.min(fresh.length, open.length) && fresh[start] === open[start]) start += 1;
    if (start === fresh.length && start === open.length) return [];
    while (end < Math.min(fresh.length, open.length) - start && fresh.at(-1 - end) === open.at(-1 - end)) end += 1;
    const middle = (said) => said.slice(start, said.length - end).slice(0, 6).join(" | ") || "nothing";
    return [`it says: ${middle(open)}`, `it should say: ${middle(fresh)}`];
}
"""


@dataclass
class Hall:
    """The open pages of a random event, and the outdated texts that were found on them."""

    make_page: MakePage
    dice: random.Random
    pages: dict[str, Page] = field(default_factory=dict)
    stale: list[str] = field(default_factory=list)
    opened: bool = False
    compared: int = 0

    def after(self, done: ActionRecord) -> bool:
        """Open the pages once there are players, and later compare them with fresh copies after some actions.

        Return whether the random event should stop.
        """
        if not self.opened and done.event.entrants.count() >= PLAYERS:
            self._open(done)
        elif self.opened and done.refused is None and self.dice.random() < COMPARED:
            self._compare(done)
        return (self.opened and not self.pages) or done.number >= MOST_ACTS

    def _open(self, done: ActionRecord) -> None:
        """Open each page in its own browser, because a page holds one of a browser's six connections."""
        self.opened = True
        event = done.event
        where = f"{event.tournament.slug}/{event.slug}/"
        director = self.make_page("desktop")
        sign_in(director, User.objects.get(email="director@example.org"))
        signed_in = {"storage_state": director.context.storage_state()}
        own = [f"/my/{entrant.token}/{part}" for entrant in event.entrants.order_by("number")[:PLAYERS] for part in OWN]
        for path in [*(f"/desk/{where}{part}" for part in DESK), *(f"/t/{where}{part}" for part in PUBLIC), *own]:
            person = signed_in if path.startswith("/desk/") else {}
            self.pages[path] = self.make_page("desktop" if person else "phone", **person)
        for path, page in self.pages.items():
            page.goto(path)

    def _compare(self, done: ActionRecord) -> None:
        self.compared += 1
        waiting = dict(self.pages)
        differences: dict[str, list[str]] = {}
        deadline = time.monotonic() + LONGEST
        while waiting and time.monotonic() < deadline:
            for path, page in waiting.items():
                settle(page)
                differences[path] = page.evaluate(DIFFERENCES, path)
            waiting = {path: page for path, page in waiting.items() if differences[path]}
        for path in waiting:
            self.stale.append("\n    ".join([f"act {done.number}, {done.act}: {path}", *differences[path]]))
            self.pages.pop(path)  # what is wrong once is wrong for a while: the others are worth more time


@pytest.mark.long
@pytest.mark.parametrize(("kind", "rules"), KINDS)
def test_an_open_page_equals_a_fresh_one_after_every_act(make_page: MakePage, kind: str, rules: str) -> None:
    hall = Hall(make_page, random.Random(SEED))
    RandomEvent(kind, rules, seed=SEED, after_act=hall.after).play()
    assert not hall.stale, "\n\n".join(hall.stale)
    assert hall.compared
