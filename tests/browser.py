"""Control a real browser in tests: the system's Chromium, in common screen sizes.

    @pytest.mark.browser
    def test_signing(make_page):
        phone = make_page("phone")
        phone.goto("/")
        expect(phone.get_by_role("heading")).to_have_text("…")
        look(phone, "signing")                      # var/screenshots/signing.png, and no accessibility violation

A test fails if one of its pages has a script error or violates the content security policy. That policy also prevents
`page.wait_for_function` from working, so tests use `expect(…)`.

Pages update themselves. A test that reads or measures several things on a page therefore does it inside
`still(page)`, as `look` does. A single read (see `READS`) waits until the page has finished the last action.
`SLOW=6` (tests/slow.py) reveals tests that only pass on a fast machine.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

from config.environment import BASE_DIR
from tests.chance import in_part
from tests.fonts import FONTS, only_these
from tests.processes import Site
from tests.settings import RUN_DIR
from tests.slow import SLOW, full_speed, slow_browsers

SCREENSHOTS: Final = BASE_DIR / "var" / "screenshots"
PICTURES: Final = os.environ.get("PICTURES", "1") != "0"
"""Whether to take screenshots, which need a third of the time of a test that visits all pages."""
SIZES: Final[dict[str, dict[str, Any]]] = {
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
    "tablet": {"viewport": {"width": 820, "height": 1180}, "has_touch": True},
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "wall": {"viewport": {"width": 1920, "height": 1080}},
}
FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # A fourth of a page's work otherwise: threads and processes for a machine with more cores than there are here.
    "--js-flags=--single-threaded",
    "--process-per-site",
    "--host-resolver-rules=MAP hall.test 127.0.0.1, MAP second.test 127.0.0.1",
]
NO_CHROMIUM: Final = "no Chromium was found; on Debian:  apt-get install chromium-headless-shell"
_REFUSED_BY_THE_SITE: Final = re.compile(r"^Failed to load resource: the server responded with a status of 4\d\d")

_LEFT_WHILE_IT_ASKED: Final = re.compile(
    r"^htmx:(afterRequest|sendAbort),|^An unknown error occurred when fetching the script\.$"
)
"""Console messages about requests that were canceled because the user left the page."""
WITHOUT_NETWORK: Final = "ERR_INTERNET_DISCONNECTED|^htmx:sendError"
"""Console messages that a page logs without a network connection."""
PATIENCE: Final = 40_000 * SLOW
"""The timeout in milliseconds. It is long enough for three browsers on a busy machine."""
PICTURES_TRIED: Final = 3
ACTS: Final = ("check", "click", "fill", "press", "select_option", "tap", "uncheck")
READS: Final = (
    *("all", "all_inner_texts", "all_text_contents", "bounding_box", "count", "get_attribute"),
    *("inner_text", "input_value", "is_checked", "is_visible", "text_content"),
)
"""Methods that read the page without waiting for the result of an earlier action."""


def chromium_path() -> str | None:
    """Return the path of a Chromium browser, or None if there is none.

    The headless shell is preferred, because it needs only two thirds of the CPU time.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


Browsers = Callable[[str], Browser]
MakePage = Callable[..., Page]


def _once_scripts_have_run(act: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a browser action so that it first waits until the page's scripts have run.

    A busy machine can show a page before its event listeners are registered.
    """

    @wraps(act)
    def waits(part: Locator, *told: Any, **options: Any) -> Any:
        part.first.wait_for(state="attached")
        part.page.wait_for_load_state()
        _acted.add(part.page)
        return act(part, *told, **options)

    return waits


def _once_acts_are_done(read: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method that reads a page so that it first waits until the page has finished the last action."""

    @wraps(read)
    def waits(part: Locator, *told: Any, **options: Any) -> Any:
        if part.page in _acted:
            settle(part.page, times=CALM if SLOW > 1 else 1)  # a fast browser is on its way when the act returns
        return read(part, *told, **options)

    return waits


def _again_after_navigation(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `evaluate` so that it repeats the script if the browser opened another page while the script ran."""

    @wraps(evaluate)
    def repeats(part: Page | Locator, *args: Any, **options: Any) -> Any:
        try:
            return evaluate(part, *args, **options)
        except Error as error:
            if "context was destroyed" not in error.message:
                raise
        settle(part if isinstance(part, Page) else part.page)
        return evaluate(part, *args, **options)

    return repeats


def _without_the_announcer(get_by_text: Callable[..., Locator]) -> Callable[..., Locator]:
    """Wrap `get_by_text` so that it ignores `#announcer`, an element that repeats messages for screen readers."""

    @wraps(get_by_text)
    def on_the_page(page: Page, *text: Any, **options: Any) -> Locator:
        return get_by_text(page, *text, **options).and_(page.locator(":not(#announcer)"))

    return on_the_page


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browsers]:
    """Provide `chromium("wide")`, which returns a browser that has only the wide fonts of tests/fonts.py."""
    # Playwright runs an event loop in the test's own thread; the rows a test makes there are no danger to it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=PATIENCE)
    for name in ACTS:
        setattr(Locator, name, _once_scripts_have_run(getattr(Locator, name)))
    for name in READS:
        setattr(Locator, name, _once_acts_are_done(getattr(Locator, name)))
    for kind in (Locator, Page):
        setattr(kind, "evaluate", _again_after_navigation(kind.evaluate))  # noqa: B010 - mypy refuses the plain form
    Page.get_by_text = _without_the_announcer(Page.get_by_text)  # type: ignore[method-assign]
    started: dict[str, Browser] = {}
    with sync_playwright() as playwright, slow_browsers():

        def browser(fonts: str) -> Browser:
            if fonts not in started:
                conf = only_these(FONTS[fonts], RUN_DIR / f"fonts-{fonts}") if FONTS[fonts].found() else None
                started[fonts] = playwright.chromium.launch(
                    executable_path=chromium_path(),
                    headless=True,
                    args=FLAGS,
                    env={**os.environ, **({"FONTCONFIG_FILE": str(conf)} if conf else {})},
                )
            return started[fonts]

        yield browser
        for one in started.values():
            one.close()


@pytest.fixture
def make_page(chromium: Browsers, live_site: Site, pytestconfig: pytest.Config) -> Iterator[MakePage]:
    """Provide `make_page("phone")`, which opens a page for a new user with this screen size.

    `base_url=live_site.hall` opens the site with the host name that phones use. `fonts="narrow"` overrides the option
    `--fonts`. `forgives` is a pattern for console errors that the test causes on purpose.
    """
    contexts, complaints = [], []

    def make(
        size: str = "desktop", *, fonts: str = pytestconfig.getoption("--fonts"), forgives: str = "^$", **options: Any
    ) -> Page:
        context = open_context(chromium(fonts), size, **{"base_url": live_site.url, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.extend(_complaint(message, forgives)))
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        return page

    yield make
    for context in contexts:
        context.close()
    assert not complaints, "\n".join(complaints)


def _complaint(message: ConsoleMessage, forgives: str) -> list[str]:
    known = any(re.search(one, message.text) for one in (_REFUSED_BY_THE_SITE, _LEFT_WHILE_IT_ASKED, forgives))
    if message.type != "error" or known:
        return []
    return [f"{message.location.get('url', '')}: {message.text}"]


def open_context(browser: Browser, size: str, **options: Any) -> BrowserContext:
    usual = {"locale": "en-US", "reduced_motion": "reduce", **SIZES[size]}
    context = browser.new_context(**{**usual, **options})
    context.set_default_timeout(PATIENCE)
    context.on("page", _follow)
    return context


# --- Pages that replace themselves -----------------------------------------------------------------------------------

_leaving: WeakKeyDictionary[Page, set[Request]] = WeakKeyDictionary()
"""The navigation requests that are in progress on each page."""
_acted: WeakSet[Page] = WeakSet()
"""Pages on which an action was performed since they were last settled."""

BUSY: Final = """() => {
    const waits = document.querySelector(".htmx-request, .htmx-swapping, .htmx-settling, form[data-sent]");
    if (document.readyState !== "complete") return "is loading";
    if (document.fonts.status !== "loaded") return "loads fonts";
    if (waits) return `waits for an answer: ${waits.outerHTML.slice(0, 120)}`;
    const word = document.querySelector("[data-live-word]");
    return word?.dataset.state === "reconnecting" ? "is catching up" : "";
}"""
"""A script that returns what the page is waiting for, or an empty string."""
HIDE: Final = """hidden => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
"""A script that makes the page believe that it is hidden, so that it does not fetch updates (static/js/live.js)."""
CALM: Final = 3 if SLOW == 1 else 6
"""The number of checks in a row in which a page has to be idle.

A single check is not enough, because a dialog submits its form a moment after the user answers it.
"""
A_MOMENT: Final = 25


def _follow(page: Page) -> None:
    leaving = _leaving[page] = set()
    page.on("request", lambda request: leaving.add(request) if request.is_navigation_request() else None)
    page.on("framenavigated", lambda frame: leaving.clear() if frame == page.main_frame else None)
    for ended in ("requestfailed", "requestfinished"):
        page.on(ended, lambda request: leaving.discard(request))


def settle(page: Page, *, times: int = CALM) -> None:
    """Wait until the page is loaded, its scripts have run, and no request is pending.

    All of this must be true in `times` checks in a row.
    """
    deadline = time.monotonic() + PATIENCE / 1000
    calm = 0
    while True:
        reason = _reason_to_wait(page)
        calm = 0 if reason else calm + 1
        if calm == times:
            _acted.discard(page)
            return
        assert time.monotonic() < deadline, f"{page.url} {reason}"
        page.wait_for_timeout(A_MOMENT)


_evaluate: Final = Page.evaluate
"""Playwright's own method, without the retry that `_again_after_navigation` adds."""


def _reason_to_wait(page: Page) -> str:
    if _leaving[page]:
        return "is being left"
    try:
        reason: str = _evaluate(page, BUSY)
    except Error as error:
        if "context was destroyed" not in error.message:
            raise
        return "was left"
    return reason


@contextmanager
def still(page: Page) -> Iterator[None]:
    """Stop the automatic updates of a page within the block, so that a test can read it.

    If the test run slows down its browsers (tests/slow.py), the page runs at full speed within the block.
    """
    settle(page)
    page.evaluate(HIDE, True)
    settle(page, times=1)  # what was on its way is there
    try:
        with full_speed():
            yield
    finally:
        page.evaluate(HIDE, False)


PAINTED: Final = """() => matchMedia("(scripting: none)").matches
    || new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"""
"""A script that waits until the page is painted, because the browser then focuses a field with `autofocus`.

If JavaScript is disabled on the page, the script ends at once, because it would otherwise wait forever.
"""


def _wait_until_painted(page: Page) -> None:
    """Wait until the page is visible, because no user presses a key before that."""
    page.wait_for_load_state()
    page.evaluate(PAINTED)
    _acted.add(page)


def press(page: Page, *keys: str) -> None:
    _wait_until_painted(page)
    for key in keys:
        page.keyboard.press(key)


def write(page: Page, text: str) -> None:
    _wait_until_painted(page)
    page.keyboard.type(text)


def look(page: Page, name: str, *, full_page: bool = True, contrast: bool = True) -> None:
    """Save a screenshot as var/screenshots/<name>.png, and fail if axe finds an accessibility violation.

    With PICTURES=0 in the environment, no screenshot is saved. `contrast=False` skips the contrast check, which takes
    four times as long as all other checks together. A quick test run checks the contrast of only half of the pages.
    """
    contrast = contrast and in_part(zlib.crc32(name.encode()), 2)
    try:
        faults = _faults_seen(page, name, full_page, contrast)
    except Error as error:
        if "context was destroyed" not in error.message:
            raise
        faults = _faults_seen(page, name, full_page, contrast)  # it was left: look at the next page
    assert not faults, "\n".join(faults)


def _faults_seen(page: Page, name: str, full_page: bool, contrast: bool) -> list[str]:
    with still(page):
        photograph(page, name, full_page=full_page)
        return axe_faults(page, contrast=contrast)


def axe_faults(page: Page, *, contrast: bool = True) -> list[str]:
    return [_in_words(violation) for violation in _violations(page, contrast)]


def photograph(page: Page, name: str, *, full_page: bool = True) -> None:
    """Save a screenshot, and retry if that fails, which sometimes happens on a busy machine."""
    if not PICTURES:
        return
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for left in reversed(range(PICTURES_TRIED)):
        try:
            page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=full_page)
        except Error as error:
            if not left or "Unable to capture screenshot" not in error.message:
                raise
            page.wait_for_timeout(500)
        else:
            return


def _violations(page: Page, contrast: bool) -> list[dict[str, Any]]:
    """Check the page with axe, and return the accessibility violations.

    The axe script is loaded once per document.
    """
    if not _evaluate(page, "'axe' in window"):
        _evaluate(page, Axe().axe_script)
    found: list[dict[str, Any]] = _evaluate(
        page,
        """contrast => axe.run({
            resultTypes: ['violations'], preload: false,
            rules: {'color-contrast': {enabled: contrast}, 'target-size': {enabled: true}},
        }).then(all => all.violations)""",
        contrast,
    )
    return found


def _in_words(violation: dict[str, Any]) -> str:
    places = [f"    {node['html']}\n    {node['failureSummary']}" for node in violation["nodes"][:5]]
    return "\n".join([f"{violation['id']} ({violation['impact']}): {violation['help']}", *places])
