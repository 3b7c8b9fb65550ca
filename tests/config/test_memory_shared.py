"""A page that nobody may keep is still made once for all who ask at the same time, and never from before they asked."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from config.front.lanes import MARKS_HEADER
from config.front.memory import Memory
from tournament.core.pages.following import UNKNOWN_VALIDITY


class Pages:
    """What stands behind: it says which write its page shows, and takes a moment for it."""

    def __init__(self, kept: str, varies_by: str = "") -> None:
        self.kept, self.varies_by, self.written, self.made = kept, varies_by, 0, 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.made += 1
        shown = self.written
        await asyncio.sleep(0.02)
        asked = MARKS_HEADER in dict(scope["headers"])
        headers = [(MARKS_HEADER, self.kept.encode()), (b"etag", b'"%d"' % shown)] if asked else []
        headers += [(b"vary", self.varies_by.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"%d" % shown})


async def look(memory: Memory, **headers: str) -> int:
    told = bytearray()

    async def send(message: Any) -> None:
        told.extend(message.get("body", b""))

    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": "/t/a/b/bracket/", "raw_path": b"/t/a/b/bracket/"}
    scope |= {"query_string": b"", "headers": [(b"host", b"hall"), *sent], "client": ("10.0.0.7", 1)}
    await memory(scope, None, send)  # type: ignore[arg-type]
    return int(told)


async def a_hall_looks(pages: Pages) -> Counter[int]:
    """Fifty phones ask, something is written while the page is made, and fifty more ask."""
    memory = Memory(pages)
    early = [asyncio.ensure_future(look(memory)) for _phone in range(50)]
    await asyncio.sleep(0.01)
    pages.written += 1
    late = [asyncio.ensure_future(look(memory)) for _phone in range(50)]
    await asyncio.gather(*early)
    assert set(await asyncio.gather(*late)) == {1}
    return Counter(one.result() for one in early)


@pytest.fixture(autouse=True)
def alone(settings: Any) -> None:
    settings.MARKS_URL, settings.PAGES_FROM_MEMORY = "", True


def test_a_page_that_is_true_only_now_is_made_twice_for_a_hall() -> None:
    """Once for who came first, once more for those who asked meanwhile."""
    pages = Pages(UNKNOWN_VALIDITY)
    assert asyncio.run(a_hall_looks(pages)) == {0: 1, 1: 49}
    assert pages.made == 2


def test_it_is_made_anew_for_who_comes_later() -> None:
    async def play(pages: Pages) -> list[int]:
        memory = Memory(pages)
        first = await look(memory)
        pages.written += 1
        return [first, await look(memory)]

    assert asyncio.run(play(Pages(UNKNOWN_VALIDITY))) == [0, 1]


def test_a_page_of_ones_own_is_nobody_elses() -> None:
    pages = Pages("")
    asyncio.run(a_hall_looks(pages))
    assert pages.made >= 100


def made_for(pages: Pages, *asking: dict[str, str]) -> int:
    """Count how often a page is made for readers who ask at the same time, with these headers.

    A page that is shared is made twice: for the first reader, and once more for all who asked meanwhile.
    """

    async def ask() -> None:
        memory = Memory(pages)
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
    assert made_for(Pages(UNKNOWN_VALIDITY, varies_by), GERMAN, ENGLISH, GERMAN, GERMAN_BY_COOKIE, {}) == 4


def test_one_language_is_one_page_whatever_a_browser_accepts(settings: Any) -> None:
    settings.LANGUAGES = [("en", "English")]
    assert made_for(Pages(UNKNOWN_VALIDITY), GERMAN, ENGLISH, GERMAN_BY_COOKIE, {}) == 2


def test_a_page_that_varies_by_what_no_address_has_is_shared_with_nobody() -> None:
    assert made_for(Pages(UNKNOWN_VALIDITY, "X-Screen"), {}, {}, {}) == 3
