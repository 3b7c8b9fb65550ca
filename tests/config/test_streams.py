"""How many pages may follow at once."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from typing import Any

import pytest

from config.front import guard
from config.front.guard import Streams, most_streams


async def following(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await asyncio.sleep(60)


class Hall:
    def __init__(self) -> None:
        self.streams, self.open = Streams(following), list[asyncio.Task[None]]()

    async def opens(self, client: str, **headers: str) -> tuple[int, dict[bytes, bytes], str]:
        sent: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        named = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": "GET", "path": "/live/a/b/", "headers": named, "client": (client, 1)}
        self.open.append(asyncio.create_task(self.streams(scope, None, send)))
        await asyncio.sleep(0.01)
        body = b"".join(message.get("body", b"") for message in sent[1:])
        return sent[0]["status"], dict(sent[0]["headers"]), body.decode()

    async def leave(self) -> None:
        for task in self.open:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self.open.clear()


def test_one_client_has_so_many_and_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_STREAMS_PER_CLIENT", 3)

    async def play() -> None:
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

    asyncio.run(play())


def test_addresses_of_ipv4_in_ipv6_are_clients_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_STREAMS_PER_CLIENT", 1)

    async def play() -> list[int]:
        hall = Hall()
        clients = ["::ffff:192.168.1.7", "::ffff:192.168.1.7", "::ffff:192.168.1.8", *["::ffff:127.0.0.1", "::1"] * 2]
        answers = [(await hall.opens(client))[0] for client in clients]
        await hall.leave()
        return answers

    assert asyncio.run(play()) == [200, 503, 200, 200, 200, 200, 200]


def test_whoever_is_refused_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_STREAMS", 1)

    async def play() -> None:
        hall = Hall()
        assert (await hall.opens("127.0.0.1"))[0] == 200
        status, headers, page = await hall.opens("10.0.0.7")
        assert (status, headers[b"retry-after"]) == (503, b"60")
        assert re.search(r"Too many pages of this site are open\. .*look again in a minute\.", page)
        _status, _headers, page = await hall.opens("10.0.0.7", accept="application/json")
        assert json.loads(page)["errors"][0]["code"] == "too-many-streams"
        await hall.leave()

    asyncio.run(play())


def test_few_open_files_are_not_all_for_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard.resource, "getrlimit", lambda _what: (1024, 4096))
    assert most_streams() == 512
