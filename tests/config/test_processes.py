"""Test how processes lower their priority, collect garbage, share secrets, and use a clock that a test sets back."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
import weakref
from pathlib import Path

import pytest
from django.conf import settings

from config import environment
from config.environment import BASE_DIR, lazy_secret
from config.pages import page_process
from tests.devtools.hall.site import make_clock
from tests.processes import PATIENCE, until

STEPS = """
import os, pathlib
from config.process import lower_priority
lower_priority(3)
group = pathlib.Path("/proc/self/autogroup")
words = group.read_text().split() if group.exists() and os.access(group, os.W_OK) else []
print(os.nice(0), words[-1] if words else 3)  # a session may be in no group of its own: then nothing is written there
"""


def stepped_back(*, own_session: bool) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", STEPS],
        cwd=Path(settings.BASE_DIR),
        start_new_session=own_session,
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(one) for one in done.stdout.split()]


def test_who_steps_back_does_so_for_its_session_too() -> None:
    assert stepped_back(own_session=True) == [os.nice(0) + 3, 3]


def test_in_the_session_of_others_it_steps_back_alone() -> None:
    before = Path("/proc/self/autogroup")
    group = before.read_text() if before.exists() else ""
    assert stepped_back(own_session=False)[0] == os.nice(0) + 3
    assert (before.read_text() if before.exists() else "") == group


class _Ring:
    """An object that refers to itself, so that only the garbage collector can remove it."""

    def __init__(self) -> None:
        self.own = self


def test_what_is_old_and_let_go_of_goes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_process, "GC_INTERVAL_S", 0.05)
    ring = _Ring()
    gone = weakref.ref(ring)
    gc.collect()  # it is old now
    del ring
    assert gone() is not None
    page_process.schedule_garbage_collection()
    until(lambda: gone() is None)


@pytest.fixture
def secrets_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(environment, "VAR_DIR", tmp_path / "var")
    monkeypatch.setattr(environment, "SECRETS_FILE", tmp_path / "var" / "secrets.env")
    return tmp_path / "var" / "secrets.env"


def test_a_secret_is_made_at_first_use_and_stays(secrets_file: Path) -> None:
    first = lazy_secret("MY_SECRET")
    assert not secrets_file.exists()
    assert len(str(first)) >= 50
    assert str(lazy_secret("MY_SECRET")) == str(first)
    assert str(lazy_secret("ANOTHER")) != str(first)
    assert str(lazy_secret("MY_SECRET")) == str(first)


def test_only_the_owner_reads_them(secrets_file: Path) -> None:
    str(lazy_secret("MY_SECRET"))
    assert secrets_file.stat().st_mode & 0o777 == 0o600


def test_a_stored_secret_is_read_without_a_lock(secrets_file: Path) -> None:
    secrets_file.parent.mkdir()
    secrets_file.write_text("MY_SECRET=stored\n")
    assert str(lazy_secret("MY_SECRET")) == "stored"
    assert list(secrets_file.parent.iterdir()) == [secrets_file]


def test_a_last_line_without_an_end_stays_as_it_is(secrets_file: Path) -> None:
    secrets_file.parent.mkdir()
    secrets_file.write_text("MY_SECRET=stored")
    another = str(lazy_secret("ANOTHER"))
    assert secrets_file.read_text() == f"MY_SECRET=stored\nANOTHER={another}\n"


def test_the_environment_has_the_last_word(secrets_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET", "from outside")
    assert str(lazy_secret("MY_SECRET")) == "from outside"
    assert not secrets_file.exists()


def test_two_processes_at_once_agree(tmp_path: Path) -> None:
    ask = "from config.environment import lazy_secret; print(lazy_secret('SECRET_KEY'))"
    clean = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path)}
    asking = [
        subprocess.Popen([sys.executable, "-c", ask], env=clean, cwd=BASE_DIR, stdout=subprocess.PIPE) for _ in range(6)
    ]
    assert len({process.communicate()[0] for process in asking}) == 1


@pytest.mark.parametrize("command", ["payout", "verify_draw", "tally", "pair"])
def test_a_stateless_command_needs_nothing_and_leaves_nothing(tmp_path: Path, command: str) -> None:
    clean = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path / "var")}
    answer = subprocess.run(
        [sys.executable, BASE_DIR / "manage.py", command],
        input=b"{}\n",
        env=clean,
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert answer.stdout.startswith(b'{"ok": false'), answer.stderr
    assert answer.returncode == 1
    assert list(tmp_path.iterdir()) == []


TELLS = """
import os, sys, time
if os.fork() == 0:
    for _line in sys.stdin:
        print(time.time(), time.monotonic(), flush=True)
os.wait()
"""
AGAIN = 1.0
"""The number of seconds after which a process has surely read the file of its clock again."""


def test_it_is_set_back_and_right_again(tmp_path: Path) -> None:
    clock = make_clock(tmp_path)
    site = subprocess.Popen(
        [sys.executable, "-c", TELLS],
        env={**os.environ, **clock.environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert site.stdin is not None and site.stdout is not None

    def behind() -> tuple[int, int]:
        """Return how many minutes the wall clock and the monotonic clock of the process are behind."""
        time.sleep(AGAIN)
        site.stdin.write("\n")
        site.stdin.flush()
        told, measured = map(float, site.stdout.readline().split())
        return round((time.time() - told) / 60), round((time.monotonic() - measured) / 60)

    assert behind() == (0, 0)
    with clock.set_back(3600):
        assert behind() == (60, 0)
    assert behind() == (0, 0)
    site.stdin.close()
    assert site.wait(timeout=PATIENCE) == 0
