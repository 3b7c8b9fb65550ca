"""Test that no write is lost if the power fails on both laptops again and again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from config.environment import BASE_DIR
from tests.laptop.pairs import Laptop, a_laptop, pair
from tests.laptop.runs import environment_of
from tests.processes import until

WRITES = """
import itertools, sys
from datetime import date
import django
django.setup()
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Tournament
about = {"venue": "Hall", "starts_on": date(2026, 11, 27), "ends_on": date(2026, 11, 29)}
for number in itertools.count():
    name = f"{sys.argv[1]}-{number}"
    tournament = Tournament.objects.create(slug=name, name=name, **about)
    with writing(tournament, verb="tournament.created", by=SYSTEM_ACTOR) as write:
        write.about(tournament)
    print(name, flush=True)
"""
ROUNDS = 3


def write_until_power_fails(laptop: Laptop, name: str, dice: random.Random, both: ExitStack) -> list[str]:
    """Create tournaments until a simulated power failure of both laptops, and return the acknowledged names."""
    environment = {**environment_of(laptop.folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITES, name], cwd=BASE_DIR, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    acknowledged = [writer.stdout.readline().strip() for _turn in range(dice.randint(1, 25))]
    time.sleep(dice.uniform(0, 0.03))  # between two writes, or in the middle of one
    os.kill(writer.pid, signal.SIGKILL)
    both.close()
    acknowledged += writer.stdout.read().split()
    writer.wait()
    return acknowledged


@pytest.mark.long
def test_nothing_acknowledged_is_lost_and_both_are_equal_again(tmp_path: Path) -> None:
    dice = random.Random(int(os.environ.get("TEST_SEED", "1")))
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    first, second = a_laptop(tmp_path / "first", "first"), a_laptop(tmp_path / "second", "second")
    acknowledged: list[str] = []
    with first.connected():
        pair(first, second)
    for number in range(ROUNDS):
        with ExitStack() as both:
            for laptop in dice.sample([first, second], 2):
                both.enter_context(laptop.connected())
            acknowledged += write_until_power_fails(first, f"round-{number}", dice, both)
    with first.connected() as leading, second.connected():
        until(lambda: second.rows() == first.rows(), leading)
    names = second.names()
    assert [name for name in acknowledged if names.count(name) != 1] == []
    assert len(set(names)) == len(names)
    assert second.has_intact_logs()
