"""Start real processes that use the test database: a broker, a worker, and the site.

    def test_prints(worker, event): …               the worker runs the tasks that this test sends
    def test_journey(live_site, make_page): …       live_site.url, live_site.hall

Other processes have to see the rows, so both fixtures use `transactional_db`.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import redis
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import override_settings

from config.broker import make_broker_socket_path, make_redis_url, make_socket_url
from config.environment import BASE_DIR
from config.outages import hash_private_link
from config.process import die_with_parent
from laptop.broker import wait_for_broker
from tests.devtools.hall.site import free_port
from tests.settings import RUN_DIR
from tests.slow import SLOW
from tournament.models import Entrant, Tournament

PATIENCE: Final = 400.0 * SLOW
"""Seconds to wait for another process. Only a test that fails waits so long, even on a busy machine."""
APPLICATION: Final = "config.asgi:application" if SLOW == 1 else "tests.slow:application"


@dataclass(frozen=True, slots=True)
class Process:
    popen: subprocess.Popen[bytes]
    log_file: Path

    def log(self) -> str:
        return self.log_file.read_text(errors="replace")


@dataclass(frozen=True, slots=True)
class Site:
    port: int
    process: Process

    @property
    def url(self) -> str:
        """Return the URL on this machine, where browsers allow everything that otherwise requires https."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def hall(self) -> str:
        """Return the URL for phones: plain http, with a host name that the test browser maps to this machine."""
        return f"http://hall.test:{self.port}"


@pytest.fixture(scope="session")
def broker() -> Iterator[str]:
    """Start the message broker of this test run, and return its URL."""
    address = make_socket_url(make_broker_socket_path())
    with running("broker", "laptop.broker", {}):
        assert wait_for_broker(address)
        yield address


@pytest.fixture(scope="session")
def _worker(broker: str, django_db_setup: None) -> Iterator[Process]:
    command = ["--quiet", "--app", "tests.worker", "worker", "--concurrency", "1"]
    quick = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"]
    with running("worker", "celery", {"REDIS_URL": broker}, *command, *quick) as worker:
        until(lambda: "ready." in worker.log(), worker)
        yield worker


@pytest.fixture
def worker(_worker: Process, broker: str, transactional_db: None, settings: Any) -> Process:
    """Provide a real Celery worker, which runs the tasks that a test sends after a commit."""
    from config.broker import make_celery_url
    from config.celery import app

    settings.REDIS_URL = broker
    app.conf.broker_url = make_celery_url(broker)
    app._after_fork()  # the connection of an earlier test is given up
    return _worker


@pytest.fixture(scope="session")
def _site(broker: str, django_db_setup: None) -> Iterator[Site]:
    with site_of(broker, "site", {}) as site:
        yield site


@contextmanager
def site_of(broker: str, name: str, besides: dict[str, str]) -> Iterator[Site]:
    """Run the site with all its processes, and with these additional environment variables.

    A site with another name than “site” has its own data folder.
    """
    port = free_port()
    command = [APPLICATION, "--interface", "asgi", "--no-ws", "--http", "1", "--port", str(port)]
    rest = ["--http1-header-read-timeout", "10000", "--http1-buffer-size", "32768", "--backlog", "1024"]
    rest += ["--workers-kill-timeout", "1", "--log-level", "warning"]
    environment = {"REDIS_URL": broker, "SITE_URL": f"http://hall.test:{port}", "LANES": "1", **besides}
    environment["TEST_STATIC"] = str(collected_static())
    if name != "site":
        own = RUN_DIR / name / RUN_DIR.name  # the settings expect this folder name
        own.mkdir(parents=True, exist_ok=True)
        environment |= {"TEST_RUN_DIR": str(own), "VAR_DIR": str(own)}
    (RUN_DIR / f"{name}.log").unlink(missing_ok=True)
    with ExitStack() as processes:
        for kind in ("reader", "writer"):
            processes.enter_context(running(kind, "config.pages.page_process", environment, kind, log=name))
        process = processes.enter_context(running(name, "granian", environment, *command, *rest))
        until(lambda: _answers(port), process)
        yield Site(port, process)


@cache
def collected_static() -> Path:
    """Collect the static files as in production, once per run, and return their folder."""
    folder = RUN_DIR / "static"
    storage = {"BACKEND": "config.storage.static_files.CollectedStaticFilesStorage"}
    with override_settings(STATIC_ROOT=folder, STORAGES={**settings.STORAGES, "staticfiles": storage}):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder


@pytest.fixture
def live_site(_site: Site, broker: str, transactional_db: None, settings: Any) -> Iterator[Site]:
    """Run the real site on the test database. The test fails if the site logs a traceback."""
    settings.REDIS_URL = broker
    redis.Redis.from_url(make_redis_url(broker, database=1)).flushdb()
    before = len(_site.process.log())
    yield _site
    links = Entrant.objects.values_list("token", flat=True)
    here = {*Tournament.objects.values_list("slug", flat=True), *map(hash_private_link, links)}
    written = of_this_test(_site.process.log()[before:], here)
    assert "Traceback" not in written, written


REFUSED: Final = re.compile(r"(?=^ERROR django\.request: )", re.MULTILINE)
ROW_IS_GONE: Final = re.compile(r"DoesNotExist|KeyError: \d+\s*$")
"""Errors of a page whose rows were deleted while it was rendered."""
ASKED_OF: Final = re.compile(r"Internal Server Error: /(?:t|desk|my)/([\w~-]+)")


def of_this_test(written: str, here: Collection[str]) -> str:
    """Return the log without errors of late requests from the previous test, whose rows no longer exist.

    `here` contains this test's tournament slugs and the hashes of its private links.
    """
    kept = []
    for part in REFUSED.split(written):
        asked = ASKED_OF.search(part)
        if asked is None or asked[1] in here or not ROW_IS_GONE.search(part):
            kept.append(part)
    return "".join(kept)


@contextmanager
def running(name: str, module: str, environment: dict[str, str], *arguments: str, log: str = "") -> Iterator[Process]:
    """Run a Python module in a process that uses the test database.

    `log` names a log file that several processes share.
    """
    test_database = {"TEST_DATABASE": str(connection.settings_dict["TEST"]["NAME"]), "TEST_PROCESS": name}
    log_file = RUN_DIR / f"{log or name}.log"
    with log_file.open("ab" if log or module == "granian" else "wb") as written:
        popen = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=BASE_DIR,
            stdout=written,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", **test_database, **environment},
        )
    try:
        yield Process(popen, log_file)
    finally:
        popen.send_signal(signal.SIGTERM)
        try:
            popen.wait(timeout=8)
        except subprocess.TimeoutExpired:
            popen.kill()


def until(happened: Any, process: Process | None = None) -> Any:
    """Call `happened` until it returns a true value, and return that value. On a timeout, show the process's log."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        answer = happened()
        if answer:
            return answer
        if process is not None and process.popen.poll() is not None:
            break
        time.sleep(0.05)
    raise AssertionError("It never happened.\n" + (process.log() if process else ""))


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(10)
        try:
            probe.connect(("127.0.0.1", port))
            probe.sendall(b"GET /version/none/none/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return re.match(rb"HTTP/1.1 404", probe.recv(64)) is not None
        except OSError:
            return False


def answers_by_tls(port: int, authority: Path) -> bool:
    """Return whether the site accepts https for hall.test with a certificate from this authority."""
    trusting = ssl.create_default_context(cafile=str(authority))
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
            return trusting.wrap_socket(raw, server_hostname="hall.test").version() is not None
    except ConnectionError:
        return False
