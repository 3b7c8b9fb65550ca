"""Test that a page switches to the second laptop only if that laptop's response proves a takeover.

The test blocks the requests of a page to its own laptop, and simulates the second laptop.
"""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import MakePage, look
from tests.factories import an_event
from tests.kit import public_url
from tests.processes import Site
from tests.scoring.helpers.playing import an_event_in_play, the_card

pytestmark = pytest.mark.browser

SECOND: Final = "http://second.test:8000"
REMEMBERED: Final = {"installation": "a", "epoch": 1, "second": SECOND}
HAS_TAKEN_OVER: Final = {"role": "alone", "installation": "a", "epoch": 2, "proof": "2-a-b"}
AWAY: Final = "ERR_FAILED|^htmx:sendError"
CORS: Final = {"Access-Control-Allow-Origin": "*"}
A_MINUTE: Final = 60


class SecondLaptop:
    """Simulates the second laptop at its address, and counts how often pages request its state."""

    def __init__(self, page: Page, state: dict[str, Any] | None) -> None:
        self.state, self.asked = state, 0
        page.context.route(f"{SECOND}/**", self._answer)

    def _answer(self, route: Route) -> None:
        if not route.request.url.endswith("/second-laptop/state/"):
            route.fulfill(body="<title>The second laptop</title>", content_type="text/html")
            return
        self.asked += 1
        if self.state is None:
            route.abort()
        else:
            route.fulfill(body=json.dumps(self.state), content_type="application/json", headers=CORS)


def open_page(make_page: MakePage, live_site: Site, path: str, **known: object) -> Page:
    """Open a page that knows the second laptop's address and gets no response from its own laptop.

    The page uses a simulated clock.
    """
    page = make_page("phone", base_url=live_site.hall, forgives=AWAY)
    page.clock.install()
    page.goto(path)
    page.evaluate(
        "known => localStorage.setItem('laptops', JSON.stringify({...known, at: Date.now()}))", REMEMBERED | known
    )
    for part in ("second-laptop/state", "live", "version"):
        page.route(f"{live_site.hall}/{part}/**", lambda route: route.abort())
    page.reload()
    return page


def pass_seconds(page: Page, seconds: int) -> None:
    for _second in range(seconds):
        page.clock.run_for(1000)
        page.evaluate("fetch('/static/').catch(() => {})")  # what was asked for is answered meanwhile


def test_the_second_laptop_is_asked_late_and_seldom(make_page: MakePage, live_site: Site) -> None:
    """When many phones lose the first laptop, their requests must not bring down the second one."""
    page = open_page(make_page, live_site, public_url(an_event()))
    second = SecondLaptop(page, None)
    pass_seconds(page, 9)
    assert second.asked == 0
    pass_seconds(page, A_MINUTE)
    assert 4 <= second.asked <= A_MINUTE // 5
    expect(page.get_by_text("does not answer.")).to_have_count(0)  # nor does the second one


@pytest.mark.parametrize(
    "differs",
    [{"role": "second"}, {"role": "shut-out"}, {"proof": "0-a-b"}, {"proof": ""}, {"installation": "b"}],
    ids=["it follows", "it was replaced", "an earlier takeover", "no takeover", "another site"],
)
def test_a_page_stays_unless_the_second_laptop_has_taken_over(
    make_page: MakePage, live_site: Site, differs: dict[str, Any]
) -> None:
    page = open_page(make_page, live_site, public_url(an_event()))
    second = SecondLaptop(page, HAS_TAKEN_OVER | differs)
    pass_seconds(page, 25)
    assert second.asked > 0
    assert page.url.startswith(live_site.hall)
    expect(page.get_by_text("The tournament’s laptop does not answer.")).to_have_count(
        int("installation" not in differs)
    )


@pytest.mark.parametrize(
    ("proof", "goes_on"),
    [("", True), ("1-a-9", True), ("2-a-a", True), ("2-a-b", False), ("2-a-c", False)],
    ids=["restored", "restored after a takeover", "takeover that sorts before", "same takeover", "sorts after"],
)
def test_of_two_laptops_with_the_same_epoch_phones_choose_the_same_one(
    make_page: MakePage, live_site: Site, proof: str, goes_on: bool
) -> None:
    """The page compares the takeover proofs of its own laptop and the other one.

    On the server, `OwnEpoch.is_replaced_by` makes the same choice.
    """
    page = open_page(make_page, live_site, public_url(an_event()), epoch=2, proof=proof)
    second = SecondLaptop(page, HAS_TAKEN_OVER)
    pass_seconds(page, 25)
    assert second.asked > 0
    assert page.url.startswith(SECOND) is goes_on


def test_a_page_goes_on_at_the_same_path_and_keeps_the_proof(make_page: MakePage, live_site: Site) -> None:
    path = public_url(an_event())
    page = open_page(make_page, live_site, f"{path}?of=1")
    SecondLaptop(page, HAS_TAKEN_OVER)
    with page.expect_navigation(url=lambda url: url.startswith(f"{SECOND}{path}?of=1#laptop=")):
        for _second in range(25):
            page.clock.run_for(1000)
    assert [one["value"] for one in page.context.cookies(live_site.hall) if one["name"] == "laptop_epoch"] == ["2-a-b"]


def test_what_somebody_is_typing_is_not_lost(make_page: MakePage, live_site: Site) -> None:
    page = open_page(make_page, live_site, public_url(an_event(), "register/"))
    page.locator('main input[type="text"]').first.fill("Ada")
    SecondLaptop(page, HAS_TAKEN_OVER)
    pass_seconds(page, 25)
    expect(page.get_by_text("What you are typing here cannot be sent.")).to_be_visible()
    look(page, "second-laptop-while-typing")
    page.get_by_role("link", name="Go on at the second laptop").click()
    page.wait_for_url(f"{SECOND}/**")


BRING: Final = """async (strange) => {
    const { store } = window.outbox;
    const [own] = await store.boxes();
    const hand = { box: own.id, key: "brought", hand: 1, typedAt: 1, fields: "", words: "" };
    const other = { ...own, id: "other/1", url: strange, handoverUrl: "/handover/" };
    const brought = { boxes: [other], hands: [hand, { ...hand, box: other.id, key: "strange" }] };
    const keys = async () => (await store.all()).map((kept) => kept.key);
    await store.unpack(brought);
    await store.unpack(brought);
    const twice = await keys();
    await store.remove((await store.all())[0].id);
    await store.unpack(brought);
    return [twice, await keys()];
}"""


def test_a_hand_is_taken_up_once_and_only_for_a_card_of_this_site(make_page: MakePage, live_site: Site) -> None:
    card = the_card(an_event_in_play())
    page = make_page("phone", base_url=live_site.hall)
    page.goto(f"/my/{card.entrants[0].token}/card/{card.token}/")
    page.wait_for_load_state("networkidle")
    assert page.evaluate(BRING, "//elsewhere.test/") == [["brought"], []]
