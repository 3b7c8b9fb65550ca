"""Test that simultaneous requests for a page share one rendering, even if the page must not be cached."""

from __future__ import annotations

import asyncio
import gzip
from collections import Counter
from typing import Any

import brotli
import pytest

from config.front.lanes import MARKS_HEADER
from config.front.memory import PageCacheMiddleware, choose_coding, compress_body
from tests.config.helpers import call_app
from tournament.core.pages.following import POSSIBLY_OUTDATED_MARKER


class Pages:
    """An application with one slow page, which shows the number of writes before its rendering began.

    The first rendering does not end before `is_first_finished` is set.
    """

    def __init__(self, kept: str, varies_by: str = "") -> None:
        self.kept, self.varies_by, self.written, self.made = kept, varies_by, 0, 0
        self.is_first_finished = asyncio.Event()
        self.is_first_finished.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.made += 1
        shown = self.written
        await asyncio.sleep(0.02)
        if self.made == 1:
            await self.is_first_finished.wait()
        asked = MARKS_HEADER in dict(scope["headers"])
        headers = [(MARKS_HEADER, self.kept.encode()), (b"etag", b'"%d"' % shown)] if asked else []
        headers += [(b"vary", self.varies_by.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"%d" % shown})


async def look(memory: PageCacheMiddleware, **headers: str) -> int:
    return int((await call_app(memory, "/t/a/b/bracket/", host="hall", **headers))[1])


async def a_hall_looks(pages: Pages) -> Counter[int]:
    """Request the page from fifty phones, write while it is rendered, and request it from fifty more phones.

    Return how many of the first fifty phones received each content, keyed by the content.
    """
    memory = PageCacheMiddleware(pages)
    pages.is_first_finished.clear()
    early = [asyncio.ensure_future(look(memory)) for _phone in range(50)]
    await asyncio.sleep(0.01)
    pages.written += 1
    late = [asyncio.ensure_future(look(memory)) for _phone in range(50)]
    await asyncio.sleep(0.01)
    pages.is_first_finished.set()
    await asyncio.gather(*early)
    assert set(await asyncio.gather(*late)) == {1}
    return Counter(one.result() for one in early)


@pytest.fixture(autouse=True)
def alone(settings: Any) -> None:
    settings.MARKS_URL, settings.PAGES_FROM_MEMORY = "", True


def test_a_page_that_is_true_only_now_is_made_twice_for_a_hall() -> None:
    """The page is rendered once for the first client, and once for all clients that request it in the meantime."""
    pages = Pages(POSSIBLY_OUTDATED_MARKER)
    assert asyncio.run(a_hall_looks(pages)) == {0: 1, 1: 49}
    assert pages.made == 2


def test_it_is_made_anew_for_who_comes_later() -> None:
    async def play(pages: Pages) -> list[int]:
        memory = PageCacheMiddleware(pages)
        first = await look(memory)
        pages.written += 1
        return [first, await look(memory)]

    assert asyncio.run(play(Pages(POSSIBLY_OUTDATED_MARKER))) == [0, 1]


def test_a_page_of_ones_own_is_nobody_elses() -> None:
    pages = Pages("")
    asyncio.run(a_hall_looks(pages))
    assert pages.made >= 100


def made_for(pages: Pages, *asking: dict[str, str]) -> int:
    """Send several requests for one page at the same time, and return how often the page is rendered.

    `asking` has the headers of each request. A shared page is rendered twice: once for the first request, and once for
    all the others.
    """

    async def ask() -> None:
        memory = PageCacheMiddleware(pages)
        await asyncio.gather(*(look(memory, **headers) for headers in asking))

    asyncio.run(ask())
    return pages.made


GERMAN, ENGLISH, GERMAN_BY_COOKIE = (
    {"accept_language": "de"},
    {"accept_language": "en-US"},
    {"cookie": "django_language=de"},
)


def test_each_language_has_a_page_of_its_own(settings: Any) -> None:
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    varies_by = "Accept-Language, Cookie, HX-Request"
    assert made_for(Pages(POSSIBLY_OUTDATED_MARKER, varies_by), GERMAN, ENGLISH, GERMAN, GERMAN_BY_COOKIE, {}) == 4


def test_one_language_is_one_page_whatever_a_browser_accepts(settings: Any) -> None:
    settings.LANGUAGES = [("en", "English")]
    assert made_for(Pages(POSSIBLY_OUTDATED_MARKER), GERMAN, ENGLISH, GERMAN_BY_COOKIE, {}) == 2


def test_a_page_that_varies_by_what_no_address_has_is_shared_with_nobody() -> None:
    assert made_for(Pages(POSSIBLY_OUTDATED_MARKER, "X-Screen"), {}, {}, {}) == 3


ALL = ("br", "gzip", "identity")


@pytest.mark.parametrize(
    ("accepted", "best"),
    [
        ("", "identity"),
        ("gzip, deflate", "gzip"),
        ("gzip, deflate, br, zstd", "br"),
        ("GZIP", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("br;q=0,gzip;q=0", "identity"),
        ("br; q=0.2, gzip; q=0.9", "gzip"),
        ("*", "br"),
        ("*;q=0", "identity"),
        ("br;q=0, *", "gzip"),
        ("identity, gzip;q=0.5", "identity"),
        ("identity;q=0.5, gzip", "gzip"),
        ("abridged, bread", "identity"),
        ("gzip;q=", "identity"),
        ("gzip;q=nonsense;x, br;q=nan", "identity"),
        (",;=,;;q=1", "identity"),
        ("x" * 100_000 + ", br", "identity"),
    ],
)
def test_the_form_that_the_client_likes_best(accepted: str, best: str) -> None:
    assert choose_coding(ALL, accepted.encode()) == best


@pytest.mark.parametrize("size", [0, 199, 200, 5_000, 300_000])
def test_each_form_is_the_page(size: int) -> None:
    body = (b"Ada Lovelace beats Alan Turing. " * 10_000)[:size]
    forms = asyncio.run(compress_body(body))
    assert list(forms) == (["br", "gzip", "identity"] if size >= 200 else ["identity"])
    assert forms["identity"] == body
    if size >= 200:
        assert brotli.decompress(forms["br"]) == gzip.decompress(forms["gzip"]) == body
