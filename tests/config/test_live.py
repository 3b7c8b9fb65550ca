"""Test the stream of live updates on the real site, and the polling that pages use if the stream fails."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from config.front import guard
from config.front.guard import StreamLimiter, compute_max_streams
from tests.config.helpers import ask, call_app, in_loop, read_answer
from tests.factories import a_user, an_event
from tests.processes import PATIENCE, Site, until
from tournament.core import live
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.core.topics import add_topics_to_write
from tournament.models import Event, User


class Stream:
    """A client that collects the lines of a live update stream in a background thread."""

    def __init__(self, site: Site, path: str, cookie: str = "") -> None:
        self.socket = socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE)
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode())
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            for line in self.socket.makefile("rb"):
                self.lines.append(line.decode().strip())
                if line == b"0\r\n":  # the last chunk
                    return

    def versions(self) -> list[int]:
        return [json.loads(line.removeprefix("data: "))["version"] for line in self.lines if line.startswith("data: ")]

    def ended(self) -> bool:
        return not self.reader.is_alive()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


@contextlib.contextmanager
def a_stream(site: Site, event: Event, cookie: str = "", of: str = "") -> Iterator[Stream]:
    stream = Stream(site, f"/live/{event.tournament.slug}/{event.slug}/?of={of}", cookie)
    try:
        yield stream
    finally:
        stream.close()


def raise_version(event: Event, *topics: str) -> None:
    with writing(event, verb="test.written", by=SYSTEM_ACTOR):
        add_topics_to_write(*(topics or ("bracket",)))


def test_a_stream_says_the_version_at_once_and_again_when_it_goes_up(live_site: Site) -> None:
    event = an_event(version=7)
    with a_stream(live_site, event) as stream:
        until(lambda: stream.versions() == [7])
        raise_version(event)
        until(lambda: stream.versions() == [7, 8])
    assert "content-type: text/event-stream; charset=utf-8" in stream.lines
    assert stream.lines[stream.lines.index('data: {"version": 7, "within": 0}') - 1] == "event: version"


def test_a_commit_wakes_the_stream_before_its_next_look(live_site: Site) -> None:
    event = an_event()
    with a_stream(live_site, event, of="bracket") as stream:
        until(lambda: stream.versions() == [0])
        waits = []
        for version in range(1, 6):
            began = time.monotonic()
            raise_version(event)
            until(lambda version=version: stream.versions()[-1] == version)
            waits.append(time.monotonic() - began)
    assert sorted(waits)[2] < 0.5


def test_a_page_that_follows_everything_is_woken_once_a_second_and_misses_nothing(live_site: Site) -> None:
    event = an_event()
    with a_stream(live_site, event) as desk, a_stream(live_site, event, of="bracket") as phone:
        until(lambda: desk.versions() == phone.versions() == [0])
        for version in range(1, 7):
            raise_version(event)
            until(lambda version=version: phone.versions()[-1] == version)
        until(lambda: desk.versions()[-1] == 6)
    assert len(desk.versions()) < len(phone.versions()) == 7


def test_a_page_of_the_desk_is_woken_once_a_second_and_by_what_concerns_it(live_site: Site) -> None:
    event = an_event()
    with a_stream(live_site, event, of="desk") as desk, a_stream(live_site, event, of="match-1") as phone:
        until(lambda: desk.versions() == phone.versions() == [0])
        for version, topics in enumerate([("match-1", "desk"), ("match-1", "desk"), ("match-1",)], 1):
            raise_version(event, *topics)
            until(lambda version=version: phone.versions()[-1] == version)
        until(lambda: desk.versions()[-1] == 2)
        time.sleep(1.5)
    assert desk.versions()[-1] == 2


def test_a_version_raised_elsewhere_is_found_without_being_woken(live_site: Site) -> None:
    event = an_event()
    with a_stream(live_site, event) as stream:
        until(lambda: stream.versions() == [0])
        Event.objects.filter(pk=event.pk).update(version=3)
        until(lambda: stream.versions() == [0, 3])


def test_many_streams_hear_their_own_event_only(live_site: Site) -> None:
    mine, other = an_event(), an_event()
    with contextlib.ExitStack() as stack:
        mine_streams = [stack.enter_context(a_stream(live_site, mine)) for _ in range(30)]
        other_stream = stack.enter_context(a_stream(live_site, other))
        until(lambda: all(s.versions() == [0] for s in [*mine_streams, other_stream]))
        raise_version(mine)
        until(lambda: all(s.versions() == [0, 1] for s in mine_streams))
        assert other_stream.versions() == [0]


def test_pages_are_answered_while_streams_are_open(live_site: Site) -> None:
    event = an_event()
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            stack.enter_context(a_stream(live_site, event))
        assert ask(live_site, f"/version/{event.tournament.slug}/{event.slug}/")[0] == 200


@pytest.mark.parametrize("path", ["/live/no/such/", "/live/", "/live/a/b", "/live/a%20b/c/"])
def test_no_event_no_stream(live_site: Site, path: str) -> None:
    assert ask(live_site, path)[0] == 404


def test_a_draft_is_told_to_its_staff_and_to_nobody_else(live_site: Site) -> None:
    event = an_event(state=Event.State.DRAFT)
    place = f"{event.tournament.slug}/{event.slug}/"
    own, elsewhere = (cookie_of(a_user("desk", one.tournament)) for one in (event, an_event()))
    for path in (f"/live/{place}", f"/version/{place}"):
        assert [ask(live_site, path, cookie=cookie)[0] for cookie in ("", "sessionid=none", elsewhere)] == [404] * 3
    assert ask(live_site, f"/version/{place}", cookie=own)[0] == 200
    with a_stream(live_site, event, own) as stream:
        until(lambda: stream.versions() == [0])
        raise_version(event)
        until(lambda: stream.versions() == [0, 1])


def cookie_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies.output(attrs=[], header="").strip()


def test_a_stream_ends_when_its_event_is_removed(live_site: Site) -> None:
    event = an_event()
    with a_stream(live_site, event) as stream:
        until(lambda: stream.versions() == [0])
        event.delete()
        until(stream.ended)


def test_the_fallback_gives_the_version_and_304_while_it_is_true(live_site: Site) -> None:
    event = an_event(version=4)
    path = f"/version/{event.tournament.slug}/{event.slug}/"
    status, headers, body = ask(live_site, path)
    assert (status, body) == (200, b'{"version": 4}')
    assert ask(live_site, path, if_none_match=headers["etag"])[0] == 304
    raise_version(event)
    status, _headers, body = ask(live_site, path, if_none_match=headers["etag"])
    assert (status, body) == (200, b'{"version": 5}')


@in_loop
async def test_an_address_without_an_event_is_read_once_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[str, str, str | None]] = []
    now = [100.0]
    monkeypatch.setattr(live, "_load_watched_event", lambda *asked: read.append(asked))
    monkeypatch.setattr(live, "_call_with_connection", lambda look, asked: look(*asked))
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    watch = live.EventWatcher()
    found = await asyncio.gather(*(watch.find_watched_event("no", "such", {"headers": []}) for _one in range(50)))
    assert (set(found), len(read)) == ({None}, 1)
    await watch.find_watched_event("no", "such", {"headers": [(b"cookie", b"sessionid=staff")]})
    assert read[1:] == [("no", "such", "staff")]
    now[0] += live.NOT_FOUND_CACHE_LIFETIME_S
    await watch.find_watched_event("no", "such", {"headers": []})
    assert len(read) == 3
    for number in range(live.NOT_FOUND_CACHE_SIZE + 9):
        await watch.find_watched_event("no", str(number), {"headers": []})
    assert len(watch._not_found._until) == live.NOT_FOUND_CACHE_SIZE
    await watch.close()


def test_a_look_that_fails_is_not_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def what_changed(_known: object) -> tuple[dict[int, int], dict[int, dict[str, int]]]:
        looks.append(1)
        if len(looks) == 1:
            raise OSError("too many open files")
        return {1: 8}, {1: {"bracket": 8}}

    async def follow() -> int | None:
        watch = live.EventWatcher()
        event = watch.events["no", "such"] = live.WatchedEvent(1, 7, {"bracket": 7})
        told = asyncio.Event()

        async def send(message: live.AsgiMessage) -> None:
            if b"8" in message.get("body", b""):
                told.set()

        with event.register_stream(("bracket",), send):
            watch.open()
            await asyncio.wait_for(told.wait(), PATIENCE)
        await watch.close()
        return event.version

    monkeypatch.setattr(live, "_load_changed_topics", what_changed)
    monkeypatch.setattr(live, "POLL_INTERVAL_S", 0.05)
    assert asyncio.run(follow()) == 8


async def following(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await asyncio.sleep(60)


class Hall:
    def __init__(self) -> None:
        self.streams, self.open = StreamLimiter(following), list[asyncio.Task[object]]()

    async def opens(self, client: str, **headers: str) -> tuple[int, dict[bytes, bytes], str]:
        sent: list[dict[str, Any]] = []
        answer = call_app(self.streams, "/live/a/b/", client=client, sent=sent, **headers)
        self.open.append(asyncio.create_task(answer))
        await asyncio.sleep(0.01)
        status, body, told = read_answer(sent)
        return status, told, body.decode()

    async def leave(self) -> None:
        for task in self.open:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self.open.clear()


@in_loop
async def test_one_client_has_so_many_and_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_STREAMS_PER_CLIENT", 3)
    hall = Hall()
    assert [(await hall.opens("10.0.0.7"))[0] for _ in range(4)] == [200, 200, 200, 503]
    assert (await hall.opens("10.0.0.8"))[0] == 200
    assert [(await hall.opens("fe80::1"))[0], (await hall.opens("fe80::2"))[0]] == [200, 200]
    assert [(await hall.opens("fe80::3"))[0], (await hall.opens("fe80::4"))[0]] == [200, 503]  # one network
    assert {(await hall.opens("127.0.0.1"))[0] for _ in range(5)} == {200}
    await hall.leave()
    assert not hall.streams.of_client
    assert (await hall.opens("10.0.0.7"))[0] == 200
    await hall.leave()


@in_loop
async def test_addresses_of_ipv4_in_ipv6_are_clients_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_STREAMS_PER_CLIENT", 1)
    hall = Hall()
    clients = ["::ffff:192.168.1.7", "::ffff:192.168.1.7", "::ffff:192.168.1.8", *["::ffff:127.0.0.1", "::1"] * 2]
    answers = [(await hall.opens(client))[0] for client in clients]
    await hall.leave()
    assert answers == [200, 503, 200, 200, 200, 200, 200]


@in_loop
async def test_whoever_is_refused_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_STREAMS", 1)
    hall = Hall()
    assert (await hall.opens("127.0.0.1"))[0] == 200
    status, headers, page = await hall.opens("10.0.0.7")
    assert (status, headers[b"retry-after"]) == (503, b"60")
    assert re.search(r"Too many pages of this site are open\. .*look again in a minute\.", page)
    _status, _headers, page = await hall.opens("10.0.0.7", accept="application/json")
    assert json.loads(page)["errors"][0]["code"] == "too-many-streams"
    await hall.leave()


def test_few_open_files_are_not_all_for_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "get_open_file_limit", lambda: 1024)
    assert compute_max_streams() == 512
