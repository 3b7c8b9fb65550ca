"""The desk's Print page: it asks only what the chosen print needs, and one button prints everything."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from tests.browser import look
from tests.factories import a_user
from tests.journeys.steps import sign_in
from tests.kit import desk_url
from tests.processes import Process, Site
from tests.scoring.helpers.playing import an_event_in_play
from tests.screens import SIDEWAYS

pytestmark = pytest.mark.browser


def test_everything_is_one_file_and_each_print_asks_what_it_needs(
    live_site: Site, worker: Process, make_page: Callable[..., Page]
) -> None:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    sign_in(page, a_user("desk", event.tournament), to=desk_url(event, "prints/"))
    what = page.get_by_label("What to print")
    for kind, shown in (
        ("round-cards", {"round", "table", "back"}),
        ("blank-cards", {"count", "back"}),
        ("results", set()),
    ):
        what.select_option(kind)
        for name in ("count", "round", "table", "back"):
            field = page.locator(f".print-form [name={name}]")
            (expect(field).to_be_visible if name in shown else expect(field).to_be_hidden)()
    what.select_option("round-cards")
    for width, height in ((1366, 768), (768, 1024), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        look(page, f"print-{width}")
        assert page.evaluate(SIDEWAYS) <= 0
    page.get_by_role("button", name="Print everything now").click()
    link = page.get_by_role("link", name="Download")
    expect(link).to_be_visible()
    with page.expect_download() as coming:
        link.click()
    assert re.fullmatch(rf"{event.slug}-everything-round-1-[\d-]+\.pdf", coming.value.suggested_filename)
    first = PdfReader(BytesIO(Path(coming.value.path()).read_bytes())).pages[0].extract_text()
    assert "To go on by hand" in first
