"""Test how the site queues requests, responds if no page process runs, and prevents forged headers."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from aiohttp import web

from config.broker import make_socket_path
from config.front import lanes
from config.front.guard import RequestGuard
from config.front.lanes import CHUNK_BYTES, CoalescedPageRequest, FairQueue, PageProcessRouter
from tests.config.helpers import ask, call_app, in_loop
from tests.processes import PATIENCE, Site, running, until


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with TemporaryDirectory(prefix="lanes-") as made:
        monkeypatch.setattr(lanes, "make_socket_path", lambda name: Path(made) / name)
        yield Path(made)


@asynccontextmanager
async def page_process(folder: Path, name: str, seconds: float = 0.0) -> AsyncIterator[list[str]]:
    """Run a real HTTP server on a Unix socket, and yield the list of the URLs that clients request."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path_qs)
        await asyncio.sleep(seconds)
        return web.Response(body=await request.read() or request.headers.get("x-before-client", "").encode())

    app = web.Application(client_max_size=10_000_000)
    app.router.add_route("*", "/{tail:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.UnixSite(runner, str(folder / f"{name}.sock")).start()
    try:
        yield asked
    finally:
        await runner.cleanup()


@in_loop
async def test_a_page_comes_before_panels_that_fetch_themselves(folder: Path) -> None:
    async with page_process(folder, "reader-1", seconds=0.1) as heard:
        app = RequestGuard(PageProcessRouter())
        first = [call_app(app, f"/first/{turn}") for turn in range(4)]
        later = [call_app(app, "/panel/", hx_request="true"), call_app(app, "/for-all/", hx_request="true", x_kept="1")]
        await asyncio.gather(*first, *later, call_app(app, "/page/"))
        assert [path for path in heard if "first" not in path] == ["/for-all/", "/page/", "/panel/"]


@pytest.mark.parametrize(("alone", "begun"), [(30.0, ["/for-all/"]), (0.0, ["/for-all/", "/page/"])])
@in_loop
async def test_a_page_for_a_hall_has_its_process_to_itself_for_a_while(
    folder: Path, monkeypatch: pytest.MonkeyPatch, alone: float, begun: list[str]
) -> None:
    monkeypatch.setattr(lanes, "EXCLUSIVE_RENDER_TIME_S", alone)
    async with page_process(folder, "reader-1", seconds=3.0) as heard:
        app = RequestGuard(PageProcessRouter())
        both = [asyncio.ensure_future(call_app(app, "/for-all/", hx_request="true", x_kept="1"))]
        while not heard:
            await asyncio.sleep(0.01)
        both.append(asyncio.ensure_future(call_app(app, "/page/")))
        await asyncio.sleep(1.0)
        begun_now = list(heard)
        await asyncio.gather(*both)
        assert begun_now == begun and len(heard) == 2


@in_loop
async def test_clients_have_their_turns_one_after_the_other(folder: Path) -> None:
    async with page_process(folder, "reader-1", seconds=0.05) as heard:
        app = RequestGuard(PageProcessRouter())
        flood = [call_app(app, f"/flood/{turn}") for turn in range(40)]
        others = [call_app(app, f"/other/{turn}", client="10.0.0.8") for turn in range(2)]
        await asyncio.gather(*flood, *others, call_app(app, "/third/", client="10.0.0.9"))
        # Four were being made when the others came.
        assert [path.split("/")[1] for path in heard[4:10]].count("flood") == 3


@in_loop
async def test_a_flood_of_pages_leaves_turns_to_panels(folder: Path) -> None:
    async with page_process(folder, "reader-1", seconds=0.02) as heard:
        app = RequestGuard(PageProcessRouter())
        flood = [call_app(app, f"/flood/{turn}") for turn in range(40)]
        await asyncio.gather(*flood, call_app(app, "/panel/", client="10.0.0.8", hx_request="true"))
        assert heard.index("/panel/") < 20


@in_loop
async def test_a_page_for_everybody_is_made_when_any_of_them_has_a_turn() -> None:
    line, loop = FairQueue(), asyncio.get_running_loop()
    turns = [loop.create_future() for _turn in range(4)]
    for turn in turns[:3]:
        line.add(turn, "flood")
    page = CoalescedPageRequest("flood")
    page.enqueue(line, turns[3])
    page.join("somebody")
    taken = []
    while line:
        taken.append(turns.index(turn := line.take()))
        turn.set_result(None)
    assert taken == [0, 3, 1, 2]


@in_loop
async def test_files_of_one_client_wait_in_so_many_places_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "MAX_UPLOADS_PER_CLIENT", 3)
    large = b"x" * (lanes.MIN_LARGE_FORM_BYTES + 1)
    async with page_process(folder, "reader-1", seconds=0.1):
        app = RequestGuard(PageProcessRouter())
        mine = [call_app(app, "/verify/", "POST", large) for _one in range(8)]
        *answers, other = await asyncio.gather(*mine, call_app(app, "/verify/", "POST", large, client="10.0.0.8"))
        assert ([status for status, _body, _told in answers], other[0]) == ([200] * 5 + [503] * 3, 200)


@in_loop
async def test_who_writes_does_not_wait_for_who_reads(folder: Path) -> None:
    async with page_process(folder, "reader-1", seconds=1.0), page_process(folder, "writer-1"):
        app = RequestGuard(PageProcessRouter())
        reading = [asyncio.ensure_future(call_app(app, "/slow/")) for _one in range(20)]
        await asyncio.sleep(0.1)
        began = time.monotonic()
        assert (await call_app(app, "/accounts/login/", "POST", b"a=1"))[:2] == (200, b"a=1")
        taken = time.monotonic() - began
        for one in reading:
            one.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
        assert taken < 0.9


@in_loop
async def test_a_panel_is_told_to_come_back_later(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "MAX_PANEL_WAIT_S", 0.1)
    async with page_process(folder, "reader-1", seconds=0.5):
        app = RequestGuard(PageProcessRouter())
        reading = [asyncio.ensure_future(call_app(app, "/slow/")) for _one in range(4)]
        await asyncio.sleep(0.05)
        status, body, headers = await call_app(app, "/panel/", hx_request="true")
        await asyncio.gather(*reading)
        assert (status, headers[b"retry-after"]) == (503, b"3")
        assert b"The site is busy." in body


@in_loop
async def test_what_nobody_answers_any_more_is_asked_of_another(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(folder / "reader-1.sock"))
    async with page_process(folder, "reader-2"):
        app = RequestGuard(PageProcessRouter())
        assert [(await call_app(app, "/page/"))[0] for _one in range(4)] == [200] * 4


@in_loop
async def test_a_form_waits_for_the_writer_to_come_back(folder: Path) -> None:
    waiting = asyncio.ensure_future(call_app(RequestGuard(PageProcessRouter()), "/accounts/login/", "POST", b"a=1"))
    await asyncio.sleep(0.3)
    async with page_process(folder, "writer-1"):
        assert (await waiting)[0] == 200


@in_loop
async def test_while_no_writer_answers_a_reader_takes_the_forms(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(folder / "writer-1.sock"))
    app = RequestGuard(PageProcessRouter())
    async with page_process(folder, "reader-1") as by_reader:
        assert (await call_app(app, "/accounts/login/", "POST", b"a=1"))[0] == 200
        app.app.writing._searched_at = 0.0
        async with page_process(folder, "writer-2") as by_writer:
            assert (await call_app(app, "/accounts/login/", "POST", b"a=2"))[0] == 200
            assert [by_reader, by_writer] == [["/accounts/login/"], ["/accounts/login/"]]


@in_loop
async def test_cut_off_a_page_is_asked_again_and_a_form_is_not(folder: Path) -> None:
    turns = []

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        turns.append(await reader.readuntil(b"\r\n\r\n"))
        writer.close()

    for kind in ("reader", "writer"):
        await asyncio.start_unix_server(hang_up, folder / f"{kind}-1.sock")
    app = RequestGuard(PageProcessRouter())
    async with page_process(folder, "reader-2"):
        pages = [await call_app(app, "/page/") for _one in range(2)]
        form = await call_app(app, "/accounts/login/", "POST", b"a=1")
        assert [status for status, _body, _headers in pages] == [200, 200]
        assert form[0] == 503 and b"If it was not, send it again." in form[1]
        assert sum(turn.startswith(b"POST") for turn in turns) == 1


@pytest.mark.parametrize("fails", [("rollover",), ("seek", "__exit__")])
@in_loop
async def test_an_answer_that_does_not_fit_on_the_disk_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, fails: tuple[str, ...]
) -> None:
    def full(*_arguments: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    small = type("Full", (tempfile.SpooledTemporaryFile,), dict.fromkeys(fails, full))
    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", small)
    monkeypatch.setattr(lanes, "MB", 4)
    async with page_process(folder, "reader-1"):
        status, page, _headers = await call_app(RequestGuard(PageProcessRouter()), "/page/")
        assert status == 507 and b"The disk of this site is full." in page


@in_loop
async def test_nobody_makes_up_where_they_come_from(folder: Path) -> None:
    async with page_process(folder, "reader-1"):
        assert (await call_app(RequestGuard(PageProcessRouter()), "/page/", x_before_client="6.6.6.6"))[
            1
        ] == b"10.0.0.7"
        assert not lanes._is_passed_on(b"x_before_client")


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES, 3 * CHUNK_BYTES + 1])
@in_loop
async def test_what_is_large_comes_whole_in_its_own_lane(folder: Path, size: int) -> None:
    async with page_process(folder, "reader-1"), page_process(folder, "writer-1"):
        _status, body, _headers = await call_app(
            RequestGuard(PageProcessRouter()), "/verify/", "POST", b"x" * size, x_before_client=""
        )
        assert len(body) == size or size == 0


def test_pages_go_on_while_a_page_process_is_killed(live_site: Site, broker: str) -> None:
    seen: list[int] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            seen.append(ask(live_site, "/rules/")[0])

    reader = threading.Thread(target=look)
    reader.start()
    time.sleep(0.5)
    opened = make_socket_path("reader-2.sock")
    with running("reader", "config.pages.page_process", {"REDIS_URL": broker}, "reader", log="site") as killed:
        until(opened.exists, killed)
        time.sleep(1.1)  # until it is asked, too
        for pid in _workers_at(make_socket_path("reader-2.lock")):
            os.kill(pid, signal.SIGKILL)
        assert killed.popen.wait(timeout=PATIENCE), "it has ended, and nobody listens"
        with pytest.raises(ConnectionRefusedError), socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(opened))
        time.sleep(1)
    stop.set()
    reader.join()
    assert set(seen) == {200} and len(seen) > 4


def _workers_at(lock: Path) -> list[int]:
    """Return the process IDs of the children of the process that holds this lock file."""
    holders = {int(link.parts[2]) for link in Path("/proc").glob("[0-9]*/fd/*") if _points_to(link, lock)}
    return [
        int(stat.parts[2])
        for stat in Path("/proc").glob("[0-9]*/stat")
        if int(stat.read_text().rpartition(")")[2].split()[1]) in holders
    ]


def _points_to(link: Path, path: Path) -> bool:
    try:
        return os.readlink(link) == str(path)
    except OSError:
        return False
