"""That the browser of the tests sees what a phone in the hall would, and complains aloud."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import look
from tests.fonts import FONTS, Fonts
from tests.processes import Site

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_the_first_page(live_site: Site, make_page: Callable[..., Page], size: str) -> None:
    page = make_page(size)
    page.goto("/")
    expect(page.get_by_role("heading").first).to_be_visible()
    look(page, f"home-{size}")


def test_the_hall_address_is_no_secure_context(live_site: Site, make_page: Callable[..., Page]) -> None:
    page = make_page("phone", base_url=live_site.hall)
    page.goto("/")
    assert page.evaluate("window.isSecureContext") is False
    assert page.evaluate("typeof crypto.subtle") == "undefined"


def test_the_policy_keeps_foreign_scripts_and_styles_out(live_site: Site, make_page: Callable[..., Page]) -> None:
    page = make_page("desktop")
    answer = page.goto("/")
    assert answer is not None
    policy = answer.header_value("content-security-policy") or ""
    parts = {part.strip() for part in policy.split(";")}
    assert {"script-src 'self'", "style-src 'self'", "default-src 'none'"} <= parts
    assert "unsafe" not in policy


@pytest.mark.parametrize("fonts", list(FONTS))
def test_pages_are_measured_with_the_widest_and_the_narrowest_font(
    live_site: Site, make_page: Callable[..., Page], fonts: str
) -> None:
    if not FONTS[fonts].found():
        pytest.skip("the fonts are not installed; on Debian:  apt-get install fonts-dejavu-core fonts-liberation")
    page = make_page("desktop", fonts=fonts)
    page.goto("/")
    widths = {name: page.evaluate(WIDTH_OF, name) for name in ("sans-serif", "serif", *vars_of(FONTS[fonts]))}
    assert widths["sans-serif"] == widths[FONTS[fonts].sans]
    assert widths["serif"] == widths[FONTS[fonts].serif]
    assert (widths["sans-serif"] > LIKE_ARIAL) == (fonts == "wide")


def vars_of(fonts: Fonts) -> tuple[str, str]:
    return fonts.sans, fonts.serif


LIKE_ARIAL = 930.0
"""Pixels of the line below in 100 px of an ordinary font."""
WIDTH_OF = """name => {
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = `100px ${name.includes(' ') ? `"${name}"` : name}`;
    return pen.measureText('Gentlemen 1234567890').width;
}"""
