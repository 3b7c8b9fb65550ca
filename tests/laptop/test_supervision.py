"""Test that a killed process is started again, that the others continue, and that no job is lost."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import redis

from tests.laptop.runs import all_of, is_alive, manage, pids, serve, session_of, status
from tests.processes import PATIENCE, Process, free_port, until

A_JOB = """
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.jobs import request_job
from tournament.models import Event
parameters = {"paper": "letter", "count": 3000, "site": "", "card": ""}
task = "scoring.tasks.prints.print_job"
job = request_job(Event.objects.get(), kind="blank-cards", title="B", task=task, parameters=parameters, by=SYSTEM_ACTOR)
print(job.pk)
"""


def until_back(happened: Callable[[], object], run: Process) -> None:
    """Wait until the condition is true, and print how many seconds that took.

    No test limits this time, because a busy machine takes longer.
    """
    began = time.monotonic()
    until(happened, run)
    print(f"back after {time.monotonic() - began:.2f} s")


def broker_of(installation: Path, database: int = 0) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(installation / "broker.sock"), db=database)


def answers(installation: Path) -> bool:
    try:
        return bool(broker_of(installation).ping())
    except (redis.RedisError, OSError):
        return False


def worker_signs(installation: Path) -> list[bytes]:
    try:
        return list(broker_of(installation, database=1).scan_iter("*:worker"))
    except (redis.RedisError, OSError):
        return []


def state_of(installation: Path, job: str) -> str:
    with closing(sqlite3.connect(installation / "db.sqlite3")) as database:
        state: str = database.execute("SELECT state FROM tournament_job WHERE id = ?", [job]).fetchone()[0]
        return state


@contextmanager
def held(members: Iterable[int]) -> Iterator[None]:
    """Suspend these processes until the end of the block."""
    for pid in members:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in members:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.sample("killed processes", 2)
@pytest.mark.long
def test_each_that_is_killed_is_back_and_the_others_go_on(start, installation: Path) -> None:
    port, run = serve(start, lambda run: worker_signs(installation))

    def kill(name: str, back: Callable[[], object]) -> None:
        before, members = pids(run), session_of(pids(run)[name])
        for sign in worker_signs(installation):
            broker_of(installation, database=1).delete(sign)
        os.kill(before[name], signal.SIGKILL)
        until_back(lambda: pids(run)[name] != before[name] and back(), run)
        assert {other: pid for other, pid in pids(run).items() if other != name and pid != before[other]} == {}
        until_back(lambda: not any(map(is_alive, members)), run)  # what it had started ends with it

    kill("broker", lambda: answers(installation))
    kill("web", lambda: status(port) == 200)
    kill("reader.1", lambda: status(port) == 200)
    kill("writer", lambda: status(port, method="POST") == 403)
    kill("worker", lambda: worker_signs(installation))
    kill("broker", lambda: answers(installation) and worker_signs(installation))
    for _turn in range(5):  # however often, it is back in time
        before = pids(run)["broker"]
        os.kill(before, signal.SIGKILL)
        until_back(lambda before=before: pids(run)["broker"] != before, run)
    until(lambda: answers(installation) and worker_signs(installation), run)
    assert "broker ended 2 times in a row" in run.log()

    web = pids(run)["web"]
    [own] = [pid for pid in session_of(web) if pid != web]
    os.kill(own, signal.SIGKILL)
    until_back(lambda: not is_alive(own) and status(port) == 200, run)
    assert pids(run)["web"] == web


def test_killed_together_with_their_watcher_they_leave_nothing(start, installation: Path) -> None:
    _port, run = serve(start, lambda run: len(all_of(run)) >= 7)
    everything = all_of(run)
    for pid in (run.popen.pid, *pids(run).values()):
        os.kill(pid, signal.SIGKILL)
    run.popen.wait()
    until(lambda: not any(map(is_alive, everything)))


@pytest.mark.sample("killed processes", 2)
def test_a_job_whose_worker_was_killed_is_done_all_the_same(start, installation: Path) -> None:
    _port, run = serve(start, lambda run: worker_signs(installation))
    manage(installation, "play_demo_event", "--format", "knockout", "--until", "registration", "--entrants", "4")
    with held(session_of(pids(run)["worker"])):  # or it may be done before anybody looks
        job = manage(installation, "shell", "--no-imports", "-c", A_JOB)
    until(lambda: state_of(installation, job) != "queued", run)
    os.kill(pids(run)["worker"], signal.SIGKILL)
    assert state_of(installation, job) == "running"
    began = time.monotonic()
    until(lambda: state_of(installation, job) == "done", run)
    print(f"done {time.monotonic() - began:.0f} s later")


def test_a_saved_queue_that_cannot_be_read_is_set_aside_and_another_redis_is_left_alone(
    start, installation: Path, tmp_path: Path
) -> None:
    queue = installation / "broker" / "queue.rdb"
    queue.parent.mkdir(exist_ok=True)
    queue.write_bytes(b"REDIS9999 of a time to come")
    other = tmp_path / "redis-server"
    other.write_text("#!/bin/sh\necho 'Can not handle RDB format version 80'; exit 1\n")
    other.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    _port, run = serve(start, lambda run: worker_signs(installation), PATH=path)
    assert "The saved queue cannot be read" in run.log() and "RDB format" not in run.log()
    [aside] = queue.parent.glob("unreadable-*.rdb")
    assert aside.read_bytes() == b"REDIS9999 of a time to come"


def test_other_secrets_are_refused_with_a_sentence(start, installation: Path) -> None:
    run = start(free_port(), SEAL_SECRET="of another server")
    assert run.popen.wait(timeout=PATIENCE) == 1
    assert "its secrets (SEAL_SECRET) differ" in run.log()
    assert re.search(r"manage\.py use_these_secrets", run.log()) and "Traceback" not in run.log()
