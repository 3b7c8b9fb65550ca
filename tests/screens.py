"""Check that pages fit their screens: nothing is too wide, and no text is cut off."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

from tests.browser import still
from tests.targets import small_targets

SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

WIDTHS: Final = {360: 740, 768: 1024, 1366: 768}
"""The width and height in pixels of a phone, an upright tablet, and a laptop."""
WALL: Final = (1920, 1080)

CUT: Final = """
() => {
    const SLACK = 1.5;  // rounding, and the slant of an italic letter
    // The tournament's own name, which is as long as somebody liked, ends with “…” on a phone; what readers alone
    // hear is cut to nothing; a wall turns its pages.
    const meant = ".visually-hidden, .visually-hidden-focusable, .skip-link, .site-name, [aria-hidden=true], svg";
    const unseen = (one) => getComputedStyle(one).clipPath.startsWith("inset(50%");  // for readers only
    const turned = "[data-wall-pager]";
    const hides = (value) => value === "hidden" || value === "clip";
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walk.nextNode()) {
        const text = walk.currentNode, holder = text.parentElement;
        if (!text.data.trim() || holder.closest(`${meant}, ${turned}, script, style, template, option`)) continue;
        if (!holder.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        for (const line of range.getClientRects()) {
            if (line.width < 1) continue;
            const fault = cutAt(holder, line);
            if (fault) { found.push(`${fault}: ${text.data.trim().slice(0, 60)}`); break; }
        }
    }
    return found;

    function cutAt(holder, line) {
        const key = holder.closest(".btn, .state, .key-face, .pick-face")?.getBoundingClientRect();
        if (key && (line.left < key.left - SLACK || line.right > key.right + SLACK)) return "over its own edge";
        for (let one = holder; one; one = one.parentElement) {
            const { overflowX, overflowY, position } = getComputedStyle(one);
            if (one === document.body || one === document.documentElement) break;
            if (unseen(one)) return "";
            const box = one.getBoundingClientRect();
            if (hides(overflowX) && (line.left < box.left - SLACK || line.right > box.right + SLACK)) return "cut";
            if (hides(overflowY) && line.top + line.height / 2 > box.bottom) return "cut below";
            if (overflowX === "auto" || overflowX === "scroll") return "";
            if (position === "fixed") return "";
        }
        return line.right > document.documentElement.clientWidth + SLACK || line.left < -SLACK ? "off the screen" : "";
    }
}
"""

BROKEN: Final = """
() => {
    // A word or a name stays whole; an address, a digest and a line of more letters than any name has may break. The
    // head of a score sheet is as narrow as its figures.
    const meant = "script, style, template, option, svg, code, .sheet-group, .visually-hidden, [aria-hidden=true]";
    const WORD = /(?<![^\\s\\-–—/])[^\\s\\-–—/@]{2,18}(?![^\\s\\-–—/])/g;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walk.nextNode()) {
        const text = walk.currentNode, holder = text.parentElement;
        if (!text.data.trim() || text.data.includes("://") || holder.closest(meant)) continue;
        if (!holder.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        if ([holder, holder.closest("thead")].some((one) => one && getComputedStyle(one).clipPath !== "none")) continue;
        for (const { 0: word, index } of text.data.matchAll(WORD)) {
            if (!/[\\p{L}\\d]/u.test(word)) continue;
            const range = document.createRange();
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            const lines = [...range.getClientRects()].filter((line) => line.width > 1);
            if (new Set(lines.map((line) => Math.round(line.top))).size < 2) continue;
            found.push(`broken: ${word} in ${holder.tagName}, ${holder.closest("[class]").className}`);
        }
    }
    return found;
}
"""

OVERLAP: Final = """
() => {
    const LEAST = 2;  // pixels: letters of two texts that touch, not their lines
    const found = [];
    for (const picture of document.querySelectorAll("svg.bracket-picture, .bracket-picture svg")) {
        const texts = [...picture.querySelectorAll("text")].filter((text) => text.checkVisibility());
        const boxes = texts.map((text) => [text, text.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
        const edge = picture.getBoundingClientRect().right + LEAST;
        for (const [text, box] of boxes) if (box.right > edge) found.push(`out of its picture: ${text.textContent}`);
        for (const [text] of boxes) if (text.hasAttribute("textLength")) found.push(`squeezed: ${text.textContent}`);
        boxes.sort(([, one], [, other]) => one.top - other.top);
        boxes.forEach(([text, box], place) => {
            for (const [next, other] of boxes.slice(place + 1)) {
                if (other.top > box.bottom - box.height / 2) break;
                const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
                if (across > LEAST) found.push(`on one another: ${text.textContent} / ${next.textContent}`);
            }
        });
    }
    return found;
}
"""


def set_screen(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})


def unfit(page: Page) -> list[str]:
    """Describe each element that is too wide for the screen, is cut off, or is too small to tap."""
    with still(page):
        over: int = page.evaluate(SIDEWAYS)
        cut: list[str] = [*page.evaluate(CUT), *page.evaluate(BROKEN), *page.evaluate(OVERLAP)]
        small = small_targets(page)
    wide = [f"{over} pixels sideways"] if over > 0 else []
    return [*wide, *cut, *(f"too small to tap: {target}" for target in small)]
