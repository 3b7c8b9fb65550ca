"""Test that every page of a half-played event opens, fits its screens, and is accessible.

A quick test run checks every other page, on two of three screens. In a long run, `screens_of_every_page.py` checks
all of them, also in dark colors and in a pseudo-language with longer texts.
"""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Page, expect

from scoring.card_state.selectors.players import load_ready_seated_matches
from tests.browser import MakePage, look, press, still
from tests.chance import in_part
from tests.journeys.every_page import half_played, pages_of
from tests.journeys.steps import Played, card_of, faults_of, sign_in
from tests.processes import Site
from tests.screens import SIDEWAYS, WIDTHS, set_screen

pytestmark = pytest.mark.browser

PARTS: Final = 3
"""The pages are divided among this number of tests, because three browsers can run at the same time."""
ACTS_ONLY: Final = 405


@pytest.fixture
def half(live_site: Site) -> Played:
    return half_played()


@pytest.mark.sample("every page", 3)
@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_every_page(half: Played, make_page: MakePage, part: int) -> None:
    page, narrow = make_page("desktop"), make_page("desktop", fonts="narrow")
    sign_in(page, half.director)
    sign_in(narrow, half.director)
    faults = []
    pages = [one for number, one in enumerate(pages_of(half)[part::PARTS]) if in_part(number, 2)]
    for number, (name, path) in enumerate(pages):
        answer = page.goto(path)
        assert answer is not None
        if answer.status == ACTS_ONLY:
            continue
        if answer.status != 200:
            faults.append(f"{name} {path}: {answer.status}")
            continue
        faults += faults_of(page, name, number)
        if in_part(number, 3):
            narrow.goto(path)
            faults += sideways(narrow, f"{name}, in narrow letters")
    assert not faults, "\n\n".join(faults)


MAIN: Final = ("bracket/", "pairings/", "standings/")
DARK: Final = ("", "bracket/", "draw/", "prizes/")


def test_walls_zoom_darkness_and_keys(half: Played, make_page: MakePage) -> None:
    wall = make_page("wall")
    wall.goto(f"{half.page}wall/")
    expect(wall.get_by_role("group", name="Bracket")).to_be_in_viewport(ratio=1)
    look(wall, "wall-1920")
    card = card_of(load_ready_seated_matches(half.event)[0])
    players = (f"/my/{card.entrants[0].token}/match/", f"/my/{card.entrants[0].token}/card/{card.token}/hand/")
    night = make_page("phone", color_scheme="dark")
    for number, path in enumerate([*(half.page + part for part in DARK), *players]):
        night.goto(path)
        look(night, f"dark-{number}")
    zoomed = make_page("desktop", viewport={"width": 640, "height": 450}, device_scale_factor=2)
    for path in (*(half.page + part for part in MAIN), *players):
        zoomed.goto(path)
        assert zoomed.evaluate(SIDEWAYS) == 0, path
    look(zoomed, "zoom-200-percent")
    walk_by_keys(zoomed, half)
    fits_whatever_the_word(make_page("phone"), half)


def fits_whatever_the_word(page: Page, half: Played) -> None:
    """Check that two public pages fit a phone's screen with each text that can show the state of the live updates."""
    for path in (f"{half.page}wall/", f"{half.page}bracket/"):
        page.goto(path)
        for state in ("live", "reconnecting", "polling"):
            over = page.evaluate(f"state => {{ {SAY_STATE} return {SIDEWAYS} }}", state)
            assert over <= 0, f"{path}, {state}: {over} pixels sideways"


SAY_STATE: Final = """
    const word = document.querySelector("[data-live-word]");
    word.dataset.state = state;
    word.textContent = word.getAttribute(`data-word-${state}`);
"""


WATCH_JUMPS: Final = """
{
    window.jumps = [];
    // Until the first frame after a page has come, what is shown may still be half of it.
    let shown = Infinity;
    addEventListener("load", () => requestAnimationFrame(() => setTimeout(() => { shown = performance.now(); })));
    const said = ({ previousRect, currentRect, node }) =>
        `${Math.round(currentRect.y - previousRect.y)} px: ${node.outerHTML?.slice(0, 80)}`;
    // While a long table comes over a slow line its columns find their widths, and what a live fetch has replaced
    // by now is gone: neither is a jump of a page that has come.
    const counts = ({ node }) => node?.isConnected && !node.parentElement?.closest("table");
    const after = (jump) => (jump.startTime > shown ? jump.sources.filter(counts) : []);
    const told = (list) => list.getEntries().forEach((jump) => window.jumps.push(...after(jump).map(said)));
    new PerformanceObserver(told).observe({ type: "layout-shift", buffered: true });
}
"""
MOVED_BY_THE_REST: Final = """
() => {
    const SLACK = 1, CUTS = 6, TALLER = 40;
    // Columns of a table and a line of steps find their widths; what is scrolled sideways cannot be before it is wide.
    const meant = "table, svg, dialog, template, .visually-hidden, [data-rounds], .steps, .bracket-legend";
    const seen = (part) => part.checkVisibility() && !part.closest(meant);
    const isRow = (part) => /grid|flex/.test(getComputedStyle(part).display);
    const textsIn = (parts) => parts.flatMap((part) => {
        const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT), texts = [];
        while (walk.nextNode()) {
            const { data, parentElement } = walk.currentNode;
            if (data.trim() && seen(parentElement)) texts.push(walk.currentNode);
        }
        return texts;
    });
    const placeOf = (text) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        return range.getBoundingClientRect();
    };
    const moved = new Set();
    function look(texts, rest, name, value) {
        const whole = texts.map(placeOf), styles = rest.map((part) => part.style.cssText);
        rest.forEach((part) => part.style.setProperty(name, value, "important"));
        const partly = texts.map(placeOf);
        rest.forEach((part, place) => { part.style.cssText = styles[place]; });
        const far = (side, place) => Math.abs(partly[place][side] - whole[place][side]) > SLACK;
        const first = texts.findIndex((_, place) => partly[place].width && (far("left", place) || far("top", place)));
        if (first < 0) return;
        const [x, y] = [whole[first].left - partly[first].left, whole[first].top - partly[first].top].map(Math.round);
        const start = (part) => part.textContent.trim().slice(0, 40);
        moved.add(`“${start(texts[first])}” by ${x}, ${y} before “${start(rest[0])}”`);
    }
    scrollTo(0, 0);
    for (const row of [...document.querySelectorAll("main :is(ul, ol)")].filter((part) => seen(part) && isRow(part))) {
        const children = [...row.children].filter(seen);
        for (let come = 1; come < children.length; come += 1) {
            const texts = textsIn(children.slice(0, come));
            if (!texts.length) continue;
            look(texts, children.slice(come), "display", "none");
            look(texts, [children[come]], "min-height", `${children[come].offsetHeight + TALLER}px`);
        }
    }
    const blocks = [...document.querySelectorAll("main :is(li, h2, section, form, dl)")].filter(seen);
    for (let cut = 1; cut <= CUTS && cut < blocks.length; cut += 1) {
        const last = blocks[Math.floor((cut * blocks.length) / (CUTS + 1))], rest = [];
        for (let part = last; part !== document.body; part = part.parentElement) {
            for (let next = part.nextElementSibling; next; next = next.nextElementSibling) rest.push(next);
        }
        const come = textsIn([document.body]).filter((text) => !rest.some((part) => part.contains(text)));
        if (rest.length) look(come, rest, "display", "none");
    }
    return [...moved];
}
"""
"""A script that returns the texts that move when the rest of a page arrives.

The script simulates pages that have only partly arrived: boxes of a list or blocks of the page are missing, or a box
is taller.
"""
DESK_PAGES: Final = ("today/", "draw/", "entrants/", "results/", "cards/")


def test_nothing_moves_under_a_finger_when_a_page_has_come(half: Played, make_page: MakePage) -> None:
    """A user can miss a button that moves while the rest of the page arrives."""
    one = card_of(load_ready_seated_matches(half.event)[0])
    players = (f"/my/{one.entrants[0].token}/match/", f"/my/{one.entrants[0].token}/card/{one.token}/")
    public = ("", *MAIN, "draw/check/")
    paths = (*(half.page + part for part in public), *(half.desk + part for part in DESK_PAGES), *players)
    jumped = []
    for size in ("phone", "desktop"):
        page = make_page(size)
        sign_in(page, half.director)
        page.add_init_script(WATCH_JUMPS)
        for path in paths:
            page.goto(path)
            follows = page.locator('[data-live-panel], [hx-trigger~="live"]').count() > 0
            expect(page.locator("[data-live-word]").first).to_have_text("Live" if follows else "")
            with still(page):
                jumps = [*page.evaluate("window.jumps"), *page.evaluate(MOVED_BY_THE_REST)]
            jumped += [f"{size}, {path}: {jump}" for jump in jumps]
    assert not jumped, "\n".join(jumped)


def walk_by_keys(page: Page, half: Played) -> None:
    """Check that the Tab key moves a visible focus through a page."""
    page.goto(f"{half.page}entrants/")
    seen = set()
    for _press in range(12):
        press(page, "Tab")
        here = page.locator(":focus")
        expect(here).to_be_visible()
        shown = here.evaluate(
            "e => { const s = getComputedStyle(e); return [s.outlineStyle, s.boxShadow, e.outerHTML] }"
        )
        assert shown[0] != "none" or shown[1] != "none", shown[2]
        seen.add(shown[2])
    assert len(seen) > 8


def sideways(page: Page, name: str) -> list[str]:
    found = []
    for width, height in WIDTHS.items():
        set_screen(page, width, height)
        if over := page.evaluate(SIDEWAYS):
            found.append(f"{name}, {width}: {over} pixels sideways")
    return found
