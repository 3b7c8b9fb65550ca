"""A process that is forked from the zygote behaves like a process with its own interpreter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devtools.hall.site import ROOT, environment_of
from tests.devtools.takeover.starting import INTERPRETERS, Zygote

SETTINGS = """
import pprint, re, django
django.setup()
from django.conf import settings
from django.core.cache import caches
from django.db import connections
from config.broker import make_socket_path
print(connections["default"].settings_dict["NAME"], caches["default"].key_prefix, make_socket_path("broker.sock"))
values = {name: getattr(settings, name) for name in dir(settings) if name.isupper()}
print(re.sub(" at 0x[0-9a-f]+", "", pprint.pformat(values)))
"""
CHILDREN = """
import os, subprocess, sys
for _turn in range(9):
    child = subprocess.Popen([sys.executable, "-c", "import os; print(os.getppid()); input()"], stdin=-1, stdout=-1)
    print(child.poll(), int(child.stdout.readline()) == os.getpid())
    child.kill()
    child.wait()
"""
"""Starts processes that wait for a line, and asks for each of them at once whether it has ended."""


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote()
    yield zygote
    zygote.close()


def test_a_fork_has_the_settings_of_a_process_of_its_own(zygote: Zygote, tmp_path: Path) -> None:
    own = {"READ_ONLY_DATABASE": "1", "LANES": "1", "CACHE_PREFIX": "abcd", "SITE_URL": "http://127.0.0.1:8004"}
    environment = {**environment_of(tmp_path), **own, "REDIS_URL": "unix:///tmp/broker.sock"}
    forked, interpreted = (one.run(["-c", SETTINGS], environment).stdout for one in (zygote, INTERPRETERS))
    assert (forked, str(tmp_path) in forked) == (interpreted, True)


@pytest.mark.parametrize(("code", "result"), [("pass", 0), ("raise SystemExit(3)", 3), ("1 / 0", 1)])
def test_a_fork_has_the_return_code_of_a_process_of_its_own(zygote: Zygote, code: str, result: int) -> None:
    assert zygote.run(["-c", code], environment_of(ROOT)).returncode == result


def test_a_process_that_a_fork_starts_is_its_child_from_the_first_moment(zygote: Zygote) -> None:
    done = zygote.run(["-c", CHILDREN], environment_of(ROOT))
    assert (done.stdout.splitlines(), done.stderr) == (["None True"] * 9, "")
