"""Test the page that checks a draw, over plain http, where browsers do not offer their cryptography functions."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from pairing.blind_draw.services import close_registration, make_draw, post_draw
from pairing.draws.separation.draw import AvoidList, DrawKind, DrawTerms, place_entries_by_terms
from pairing.models import Draw
from pairing.stages.services.apart import keep_entrants_apart
from tests.browser import MakePage, look
from tests.kit import fresh, public_url
from tests.pairing.helpers.events import an_open_event
from tests.processes import Site
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

GOLDEN = json.loads((Path(__file__).parents[1] / "pairing" / "golden" / "draws.json").read_text())["cases"]
MESSAGES = [b"", b"abc", b"a" * 55, b"a" * 56, b"a" * 64, bytes(range(256)) * 5]
KEYS = [b"", b"Jefe", b"k" * 64, b"k" * 131]
"""HMAC keys of several lengths. The last one is longer than a block of 64 bytes (RFC 4231, case 6)."""

DIGEST = "bytes => Sha256.hex(Sha256.digest(Uint8Array.from(bytes)))"
HMAC = "([key, bytes]) => Sha256.hex(Sha256.hmac(Uint8Array.from(key), Uint8Array.from(bytes)))"

pytestmark = pytest.mark.browser


def a_draw_with_an_avoid_list() -> Event:
    event = an_open_event(11)
    entrants = {entrant.number: entrant for entrant in event.entrants.select_related("event__tournament")}
    for one, other in ((1, 2), (3, 4), (5, 6), (1, 7)):
        keep_entrants_apart(entrants[one], entrants[other], by=SYSTEM_ACTOR, reason="same club")
    close_registration(event, by=SYSTEM_ACTOR)
    make_draw(fresh(event), "7♥ Q♠ 2♦", by=SYSTEM_ACTOR)
    post_draw(fresh(event), by=SYSTEM_ACTOR)
    return fresh(event)


def the_page(live_site: Site, make_page: MakePage, event: Event, size: str = "phone") -> Page:
    page = make_page(size, base_url=live_site.hall)
    page.goto(public_url(event, "draw/check/"))
    assert page.evaluate("window.isSecureContext") is False
    assert page.evaluate("crypto.subtle === undefined") is True
    return page


def in_the_browser(case: dict[str, Any]) -> dict[str, Any]:
    fields = ("draw_id", "secret", "commitment", "public", "numbers", "byes_to", "order", "places")
    avoid = {"apart": case["avoid"]["pairs"], "same_person": case["avoid"]["same_person"]}
    return {**{name: case[name] for name in fields}, **avoid}


def test_digests_and_golden_draws(live_site: Site, make_page: MakePage) -> None:
    page = the_page(live_site, make_page, a_draw_with_an_avoid_list())
    for message in MESSAGES:
        assert page.evaluate(DIGEST, list(message)) == hashlib.sha256(message).hexdigest()
        for key in KEYS:
            right = hmac.new(key, message, hashlib.sha256).hexdigest()
            assert page.evaluate(HMAC, [list(key), list(message)]) == right
    for case in GOLDEN:
        found = page.evaluate("draw => DrawCheck.check(draw)", in_the_browser(case))
        assert found["right"] == {"order": case["order"], "places": case["places"]}, case["name"]
        assert (found["commitment"], found["order"], found["places"]) == (True, True, True), case["name"]


def made_up_cases(count: int) -> list[dict[str, Any]]:
    """Return random draws with byes, seeds, clubs, and pairs kept apart, and the places that the engine assigns."""
    dice, cases = random.Random(9), []
    for turn in range(count):
        order = dice.sample(range(1, 13), dice.randint(2, 12))
        everybody = list(combinations(order, 2))
        pairs = [pair for pair in everybody if dice.random() < turn % 10 / 10]
        same = [pair for pair in everybody if dice.random() < turn % 3 / 10]
        clubs = [dice.sample(order, dice.randint(2, len(order)))] if turn % 4 == 0 else []
        kind = list(DrawKind)[turn % 3]
        named = tuple(order[: dice.randint(1, 5)]) if kind is not DrawKind.BLIND else ()
        later = {pair: dice.choice([2, 3, 99]) for pair in pairs} if turn % 2 else {}
        until = {"clubs_until": dice.randint(1, 3), "persons_until": dice.choice([1, 99])}
        avoid = AvoidList(pairs, same, clubs, last_round_by_pair=later, **until)
        drawn = place_entries_by_terms(order, DrawTerms(kind, named), avoid)
        cases.append(
            {
                "order": order,
                "byes_to": named if kind is DrawKind.BYES else [],
                "seeds": named if kind is DrawKind.SEEDED else [],
                "apart": pairs,
                "same_person": same,
                "clubs": clubs,
                "later": [[one, other, last] for (one, other), last in later.items()],
                **until,
                "places": list(drawn.places),
            }
        )
    return cases


def test_the_page_places_as_the_engine_does(live_site: Site, make_page: MakePage) -> None:
    page = the_page(live_site, make_page, a_draw_with_an_avoid_list())
    cases = made_up_cases(300)
    found = page.evaluate("cases => cases.map((one) => DrawCheck.drawPlaces(one.order, one))", cases)
    assert found == [case["places"] for case in cases]


def test_a_posted_draw_agrees_and_a_changed_one_fails(live_site: Site, make_page: MakePage) -> None:
    event = a_draw_with_an_avoid_list()
    made = Draw.objects.get(commitment__event=event)
    page = the_page(live_site, make_page, event)
    steps = page.locator("[data-checked]")
    expect(steps).to_have_count(4)
    expect(page.locator("[data-checked][data-good=true]")).to_have_count(4)
    look(page, "check-draw")
    page.get_by_label("What the room saw").fill("7♥ Q♠ 3♦")
    expect(page.locator("[data-checked=commitment][data-good=true]")).to_have_count(1)
    expect(page.locator("[data-checked=order][data-good=false]")).to_have_count(1)
    page.get_by_label("What the room saw").fill(made.public)
    expect(page.locator("[data-checked][data-good=true]")).to_have_count(4)
    page.get_by_label("Secret, published after it").fill("0" * 64)
    expect(page.locator("[data-checked=commitment][data-good=false]")).to_have_count(1)
    page.get_by_label("Secret, published after it").fill("not a number")
    expect(page.locator("[data-checked]")).to_have_count(1)
    expect(page.locator("[data-checked=all]")).to_contain_text("cannot be read")
