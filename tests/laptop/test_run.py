"""Test that `make run` starts, prints its addresses, and stops all of its processes."""

from __future__ import annotations

import http.client
import signal
import ssl
from pathlib import Path

import pytest

from tests.laptop.runs import all_of, is_alive, serve, status
from tests.processes import PATIENCE, Process, answers_by_tls, free_port, until


def ends_whole(run: Process, how: signal.Signals) -> None:
    everything = all_of(run)
    assert len(everything) >= 7  # the run, the broker, the worker and its two, the web server and its one
    run.popen.send_signal(how)
    run.popen.wait(timeout=PATIENCE)
    until(lambda: not any(map(is_alive, everything)))
    assert run.popen.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 0)


@pytest.mark.sample("whole runs", 2)
@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGKILL])
def test_it_runs_and_leaves_nothing_running(start, installation: Path, how: signal.Signals) -> None:
    port, run = serve(start)
    assert f"http://127.0.0.1:{port}" in run.log()
    until(lambda: len(all_of(run)) >= 7, run)
    ends_whole(run, how)
    assert (installation / "secrets.env").stat().st_mode & 0o777 == 0o600


@pytest.mark.sample("whole runs", 2)
def test_a_second_run_says_so_in_a_sentence_and_the_first_can_restart_and_ends_by_ctrl_c(
    start, installation: Path
) -> None:
    port, run = serve(start)
    here = start(port)
    assert here.popen.wait(timeout=PATIENCE) == 1
    assert f"It is running here already (http://127.0.0.1:{port}, process {run.popen.pid})" in here.log()
    elsewhere = start(port, VAR_DIR=str(here.log_file.parent / "another"))
    assert elsewhere.popen.wait(timeout=PATIENCE) == 1
    assert f"Port {port} is in use by another program. Choose another:  make run PORT={port + 1}" in elsewhere.log()
    assert "Traceback" not in here.log() + elsewhere.log()
    until(lambda: len(all_of(run)) >= 7, run)
    before = all_of(run)
    (installation / "run-request.json").write_text('{"action": "restart", "by_name": "Ada"}')
    until(lambda: run.log().count("The program is starting.") == 2 and status(port) == 200, run)
    assert set(before) & set(all_of(run)) == {run.popen.pid}
    assert not (installation / "run-request.json").exists()
    log = (installation / "logs" / "gin-rummy.log").read_text()
    assert "system | restart requested by Ada received" in log
    until(lambda: len(all_of(run)) >= 7, run)
    ends_whole(run, signal.SIGINT)


@pytest.mark.sample("whole runs", 2)
def test_by_https_it_has_a_certificate_and_a_plain_page_that_explains_it(start, installation: Path) -> None:
    port, plain = free_port(), free_port()
    run = start(port, HTTPS="1", HALL_HOST="hall.test", PLAIN_PORT=str(plain))
    authority = installation / "https" / "authority.crt"
    until(lambda: authority.exists() and answers_by_tls(port, authority), run)
    until(lambda: status(plain) == 200, run)
    trusting = ssl.create_default_context(cafile=str(authority))
    connection = http.client.HTTPSConnection("localhost", port, timeout=PATIENCE, context=trusting)
    connection.request("GET", "/accounts/login/")
    page = connection.getresponse()
    cookies = page.headers.get_all("Set-Cookie")
    assert cookies and all(cookie.startswith("__Host-") and "Secure" in cookie for cookie in cookies)
    assert page.headers["Strict-Transport-Security"] is None
    plain_page = http.client.HTTPConnection("127.0.0.1", plain, timeout=PATIENCE)
    plain_page.request("GET", "/accounts/login/")
    shown = plain_page.getresponse()
    assert b"Make this phone trust the hall" in shown.read() and shown.headers.get_all("Set-Cookie") is None
    assert status(port) is None  # no plain http where https is spoken
    assert f"https://hall.test:{port}" in run.log() and f"http://hall.test:{plain}/" in run.log()
    until(lambda: len(all_of(run)) >= 9, run)
    ends_whole(run, signal.SIGINT)
