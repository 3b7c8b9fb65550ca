"""Test that pages get only requests that have arrived completely.

Clients that send too slowly, too much, or too often get a message that says so.
"""

from __future__ import annotations

import asyncio
import errno
import json
import re
import socket
import tempfile
from typing import Any, Final

import pytest
from django.urls import get_resolver

from config.environment import BASE_DIR
from config.front import guard
from config.front.guard import MAX_FORM_BYTES, UPLOAD_LIMITS, RequestGuard
from config.front.lanes import REQUEST_INTERRUPTED
from tests.config.helpers import Receive, ask, call_app, in_loop
from tests.devtools.attacks.floods import FLOODS, attack
from tests.factories import an_event
from tests.kit import public_url
from tests.processes import PATIENCE, Site

FOR_A_TEST: Final = [name for name, (count, _deed) in FLOODS.items() if count <= 200]


@pytest.mark.parametrize("name", FOR_A_TEST)
def test_pages_are_answered_while_somebody_attacks(live_site: Site, name: str) -> None:
    seen = asyncio.run(attack("127.0.0.1", live_site.port, name, seconds=0.5))
    assert set(seen.answers) == {"200", "403"}
    assert max(seen.pages + seen.forms) < 5


def test_too_large_is_said_before_anything_is_read(live_site: Site) -> None:
    for path, size, status in [
        ("/accounts/login/", MAX_FORM_BYTES + 1, b"413"),
        ("/verify/", 22 * 1024 * 1024, b"413"),
    ]:
        with socket.create_connection(("127.0.0.1", live_site.port), timeout=PATIENCE) as raw:
            raw.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n".encode())
            answer = b"".join(iter(lambda raw=raw: raw.recv(65536), b""))
        assert answer.split()[1] == status
        assert "This is more than the page can take." in answer.decode()


@pytest.mark.parametrize(("method", "status"), [("TRACE", 405), ("DELETE", 405), ("PUT", 405), ("OPTIONS", 204)])
def test_a_method_that_no_page_takes_reaches_none(live_site: Site, method: str, status: int) -> None:
    answered, headers, _page = ask(live_site, "/", method, x_kept="1")
    assert (answered, headers["allow"]) == (status, "GET, HEAD, POST, OPTIONS")


def test_the_front_alone_asks_while_which_marks_a_page_is_true(live_site: Site) -> None:
    event = an_event()
    path = public_url(event)
    answered, headers, _page = ask(live_site, path, x_kept="1", cookie="messages=x")
    assert answered == 200
    assert "x-kept" not in headers


def test_robots_are_kept_off_private_pages(live_site: Site) -> None:
    answered, headers, page = ask(live_site, "/robots.txt")
    assert (answered, headers["content-type"]) == (200, "text/plain")
    assert {b"Disallow: /my/", b"Disallow: /desk/"} <= set(page.splitlines())


def test_a_file_is_taken_where_files_are_sent(live_site: Site) -> None:
    body = b"--x\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\n" + b"y" * 3_000_000 + b"\r\n--x--\r\n"
    status, _headers, _page = ask(live_site, "/verify/", "POST", body, content_type="multipart/form-data; boundary=x")
    assert status == 403  # it was read, and has no token


def test_what_comes_in_chunks_is_read_as_well(live_site: Site) -> None:
    token = "a" * 32
    form = f"csrfmiddlewaretoken={token}&login=a".encode()
    with socket.create_connection(("127.0.0.1", live_site.port), timeout=PATIENCE) as raw:
        raw.sendall(
            b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"
            + f"Content-Type: application/x-www-form-urlencoded\r\nCookie: csrftoken={token}\r\n\r\n".encode()
        )
        for part in (form[:9], form[9:]):
            raw.sendall(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        raw.sendall(b"0\r\n\r\n")
        assert raw.recv(12) == b"HTTP/1.1 200"


def test_every_page_that_takes_files_may_be_sent_them() -> None:
    multipart = [path for path in (BASE_DIR / "templates").rglob("*.html") if "multipart/form-data" in path.read_text()]
    shown = {str(path.relative_to(BASE_DIR / "templates")) for path in multipart}
    assert shown == {
        "tournament/registration/imports/console.html",
        "scoring/verification/verify.html",
        "tournament/money/transfers.html",
        "scoring/disputes/console_open.html",
        "scoring/disputes/player.html",
        "scoring/disputes/form.html",
        "scoring/disputes/console_evidence.html",
        "scoring/archive/open_file.html",
        "scoring/seals/certificate.html",  # smaller than any form
    }
    known = get_resolver()
    for name in UPLOAD_LIMITS:
        space, _, plain = name.partition(":")
        assert plain in known.namespace_dict[space][1].reverse_dict, name


# --- The guard alone -------------------------------------------------------------------------------------------------


async def whole(scope: Any, receive: Any, send: Any) -> None:
    """Respond with the announced length and the first 20 bytes of the received body."""
    message, body = {"more_body": True, "body": b""}, b""
    while message["more_body"]:
        message = await receive()
        body += message["body"]
    announced = dict(scope["headers"]).get(b"content-length", b"none")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": announced + b" " + body[:20]})


def arriving(*parts: bytes, ends: bool = True, every: float = 0) -> Receive:
    left = list(parts)

    async def receive() -> dict[str, Any]:
        if not left and not ends:
            await asyncio.sleep(60)
        await asyncio.sleep(every)
        part = left.pop(0) if left else b""
        return {"type": "http.request", "body": part, "more_body": bool(left) or not ends}

    return receive


async def asked(one: RequestGuard, receive: Receive, client: str = "10.0.0.7", **headers: str) -> tuple[int, str]:
    answer = await call_app(one, "/accounts/login/", "POST", client=client, receive=receive, **headers)
    return answer[0], answer[1].decode()


def test_a_body_is_played_back_whole_and_its_length_said() -> None:
    parts = [b"ab", b"", b"c" * 200_000, b"d" * 300_000]
    assert asyncio.run(asked(RequestGuard(whole), arriving(*parts))) == (200, "500002 ab" + "c" * 18)
    assert asyncio.run(asked(RequestGuard(whole), arriving(b""))) == (200, "0 ")


def test_a_body_that_stops_or_trickles_is_refused_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_GRACE_PERIOD_S", 0.2)
    for receive in (arriving(b"a", ends=False), arriving(*[b"a"] * 100, every=0.02)):
        status, page = asyncio.run(asked(RequestGuard(whole), receive))
        assert status == 408 and "did not arrive in time" in page
    at_the_least_rate = arriving(*[b"a" * 1000] * 20, every=0.02)
    assert asyncio.run(asked(RequestGuard(whole), at_the_least_rate))[0] == 200


def test_a_body_without_an_end_is_refused_at_its_most_bytes() -> None:
    status, page = asyncio.run(
        asked(RequestGuard(whole), arriving(*[b"a" * 65536] * 100, ends=False), accept="application/json")
    )
    assert status == 413
    assert json.loads(page)["errors"][0]["code"] == "too-large"


def test_htmx_gets_a_notice() -> None:
    status, page = asyncio.run(asked(RequestGuard(whole), arriving(), content_length="99999999", hx_request="true"))
    assert status == 413 and re.search(r'data-refusal="too-large"', page) and "<html" not in page


@in_loop
async def test_too_many_from_one_client_cost_that_client_its_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_BODIES_PER_CLIENT", 3)
    one = RequestGuard(whole)
    held = [asyncio.create_task(asked(one, arriving(b"a", ends=False))) for _ in range(5)]
    await asyncio.sleep(0.05)
    other = await asked(one, arriving(b"a", every=0.05), client="10.0.0.8")
    cut = [task.result()[0] for task in held if task.done()]
    waiting = sum(map(len, one.incomplete.values()))
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)
    assert not one.incomplete
    assert (cut, other[0], waiting) == ([503, 503], 200, 3)


@in_loop
async def test_too_many_in_all_cost_whoever_has_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_TOTAL_BODIES", 4)
    one, clients = RequestGuard(whole), ["fe80::1", "fe80::2", "10.0.0.1", "10.0.0.1", "10.0.0.1"]
    held = [asyncio.create_task(asked(one, arriving(b"a", ends=False), client=each)) for each in clients]
    await asyncio.sleep(0.05)
    cut = [client for client, task in zip(clients, held, strict=True) if task.done()]
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)
    assert len(cut) == 1


def test_a_client_that_left_is_not_answered() -> None:
    async def gone() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    with pytest.raises(IndexError):  # nothing was sent
        asyncio.run(asked(RequestGuard(whole), gone))


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(tempfile.SpooledTemporaryFile[bytes]):
        def rollover(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", Full)
    status, page = asyncio.run(asked(RequestGuard(whole), arriving(b"a" * 100_000)))
    assert status == 507 and "The disk of this site is full." in page


@pytest.mark.parametrize("refusal", [guard.SITE_UNAVAILABLE, REQUEST_INTERRUPTED])
def test_a_form_that_was_received_whole_is_kept_where_no_page_answers(refusal: guard.RequestRefusal) -> None:
    async def refused(scope: Any, receive: Any, send: Any) -> None:
        raise guard.RequestRefused(refusal)

    body = arriving(b"key=k1&name=Ada+%3CL%3E")
    form = "application/x-www-form-urlencoded"
    status, page = asyncio.run(asked(RequestGuard(refused), body, content_type=form))
    assert status == 503
    assert 'name="key" value="k1"' in page and 'name="name" value="Ada &lt;L&gt;"' in page
