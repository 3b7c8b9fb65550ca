"""`make run` itself, on an installation of its own: starts, says where to look, stops whole, goes on where it was."""

from __future__ import annotations

import http.client
import os
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.environment import BASE_DIR
from tests.processes import Process, answers_by_tls, free_port, until

NOT_INHERITED = (
    "HTTPS",
    "HALL_HOST",
    "VAR_DIR",
    "SECRET_KEY",
    "SEAL_SECRET",
    "DJANGO_SETTINGS_MODULE",
    "DATABASE_URL",
    "REDIS_URL",
)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a name as people give them."""
    return tmp_path_factory.mktemp("our tournaments #1")


@pytest.fixture
def start(installation: Path, tmp_path: Path) -> Iterator[object]:
    started: list[Process] = []

    def start(port: int, **environment: str) -> Process:
        inherited = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        log_file = tmp_path / f"run-{len(started)}.log"
        with log_file.open("wb") as log:
            popen = subprocess.Popen(
                [sys.executable, "-m", "laptop.run"],
                cwd=BASE_DIR,
                env={**inherited, "VAR_DIR": str(installation), "PORT": str(port), "DEMO": "0", **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        started.append(Process(popen, log_file))
        return started[-1]

    yield start
    for process in started:
        if process.popen.poll() is None:
            process.popen.kill()


def status(port: int, path: str = "/") -> int | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def processes_of(installation: Path) -> list[str]:
    """What runs with this installation's folder in its environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"VAR_DIR={installation}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def ends_whole(run: Process, installation: Path, how: signal.Signals) -> None:
    run.popen.send_signal(how)
    run.popen.wait(timeout=20)
    until(lambda: not processes_of(installation), patience=15)
    assert run.popen.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 0)


@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGKILL])
def test_it_runs_and_leaves_nothing_running(start, installation: Path, how: signal.Signals) -> None:
    port = free_port()
    run = start(port)
    until(lambda: status(port) == 200, run)
    assert f"http://127.0.0.1:{port}" in run.log()
    assert len(processes_of(installation)) >= 4
    ends_whole(run, installation, how)
    assert (installation / "secrets.env").stat().st_mode & 0o777 == 0o600


def test_a_second_run_says_so_in_a_sentence_and_the_first_ends_by_ctrl_c(start, installation: Path) -> None:
    port = free_port()
    run = start(port)
    until(lambda: status(port) == 200, run)
    here = start(port)
    assert here.popen.wait(timeout=30) == 1
    assert "It is running here already" in here.log()
    elsewhere = start(port, VAR_DIR=str(here.log_file.parent / "another"))
    assert elsewhere.popen.wait(timeout=30) == 1
    assert f"Port {port} is in use by another program. Choose another:  make run PORT={port + 1}" in elsewhere.log()
    assert "Traceback" not in here.log() + elsewhere.log()
    ends_whole(run, installation, signal.SIGINT)


def test_by_https_it_has_a_certificate_and_a_plain_page_that_explains_it(start, installation: Path) -> None:
    port, plain = free_port(), free_port()
    run = start(port, HTTPS="1", HALL_HOST="hall.test", PLAIN_PORT=str(plain))
    authority = installation / "https" / "authority.crt"
    until(lambda: authority.exists() and answers_by_tls(port, authority), run)
    until(lambda: status(plain) == 200, run)
    trusting = ssl.create_default_context(cafile=str(authority))
    connection = http.client.HTTPSConnection("localhost", port, timeout=10, context=trusting)
    connection.request("GET", "/accounts/login/")
    page = connection.getresponse()
    cookies = page.headers.get_all("Set-Cookie")
    assert cookies and all(cookie.startswith("__Host-") and "Secure" in cookie for cookie in cookies)
    assert page.headers["Strict-Transport-Security"] is None
    plain_page = http.client.HTTPConnection("127.0.0.1", plain, timeout=10)
    plain_page.request("GET", "/accounts/login/")
    shown = plain_page.getresponse()
    assert b"Make this phone trust the hall" in shown.read() and shown.headers.get_all("Set-Cookie") is None
    assert status(port) is None  # no plain http where https is spoken
    assert f"https://hall.test:{port}" in run.log() and f"http://hall.test:{plain}/" in run.log()
    run.popen.send_signal(signal.SIGINT)
    run.popen.wait(timeout=20)
    until(lambda: not processes_of(installation), patience=15)
