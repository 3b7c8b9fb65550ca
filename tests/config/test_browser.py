"""That the browser of the tests sees what a phone in the hall would, and complains aloud."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import look
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
