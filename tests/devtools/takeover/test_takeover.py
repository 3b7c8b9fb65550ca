"""A short version of `make takeover`, in which only two processes run on each laptop: the connection and a writer.

`make test-long` plays some takeovers with the whole program.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import IO, Final

import pytest

from laptop.prepare import make_migrated_database
from tests.devtools.hall.site import environment_of
from tests.devtools.takeover import pairing
from tests.devtools.takeover.facts import read_recorded
from tests.devtools.takeover.judge import find_alone
from tests.devtools.takeover.laptops import Laptop, has_everything, until
from tests.devtools.takeover.starting import Starter, Zygote

WRITES: Final = """
import sys
from datetime import date

import django

django.setup()
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Tournament

about = {"venue": "Hall", "starts_on": date(2026, 11, 27), "ends_on": date(2026, 11, 29)}
for name in map(str.strip, sys.stdin):
    tournament = Tournament.objects.create(slug=name, name=name, **about)
    with writing(tournament, verb="tournament.created", by=SYSTEM_ACTOR) as write:
        write.about(tournament)
    print(name, flush=True)
"""
FORGETS: Final = """
import django

django.setup()
from tournament.second_laptop.selectors import load_last_change
from tournament.second_laptop.services.changes import delete_confirmed_changes

delete_confirmed_changes(load_last_change())
"""


@pytest.mark.long
def test_the_second_laptop_takes_over_from_a_dead_one_and_from_one_that_is_cut_off(tmp_path: Path) -> None:
    """Test two takeovers in a row, because starting the processes takes time. The laptops swap roles in between."""
    zygote = Zygote()
    try:
        asyncio.run(_play(*(Laptop(name, tmp_path / name, starter=zygote) for name in "AB"), zygote))
    finally:
        zygote.close()


async def _play(first: Laptop, second: Laptop, starter: Starter) -> None:
    dice = random.Random(int(os.environ.get("TEST_SEED", "1")))
    for laptop in (first, second):
        make_migrated_database(Path(sys.executable)).copy_to(laptop.database)
        (laptop.folder / "secrets.env").write_text(f"SECRET_KEY={laptop.name}\nSEAL_SECRET={laptop.name}\n")
        await laptop.wire.open()
    try:
        first.start(pairing.CONNECT)
        async with _writing(second) as writer:
            await writer.write("replaced")
        await _follow(second, first)
        acknowledged = await _kill(first, second, dice)
        first.start(pairing.CONNECT)
        await first.has_role(pairing.SHUT_OUT)
        _check(first, second, acknowledged, [])

        first.stop()
        await _follow(first, second)
        await _stay_away_for_too_long(first, second, starter)
        together, alone = await _cut(second, first, dice)
        await second.has_role(pairing.SHUT_OUT)
        _check(second, first, together, alone)
        await _lists_missing_acts(first, alone)
    finally:
        for laptop in (first, second):
            laptop.stop()
            await laptop.wire.close()


async def _follow(second: Laptop, first: Laptop) -> None:
    """Pair the two laptops.

    Before this, check that wrong words are rejected, and that tournaments are not replaced without confirmation.
    """
    words = await asyncio.to_thread(pairing.add, first.folder, first.starter)
    replaces_own_data = not second.role and bool(_names(second))

    async def join(words: str, *, is_sure: bool = True) -> str:
        return await asyncio.to_thread(
            pairing.join, second.folder, first.wire.address, words, second.starter, replaces_own_data=is_sure
        )

    async def is_refused() -> bool:
        return "These are not the words" in await join("six words that are not it")

    await until(is_refused, "the first laptop listens", first)
    if replaces_own_data:
        assert "they would be replaced" in await join(words, is_sure=False)
    assert await join(words.upper()) == ""
    assert _names(second) == _names(first)
    assert (second.folder / "secrets.env").read_text() == (first.folder / "secrets.env").read_text()
    second.start(pairing.CONNECT)
    await has_everything(second, first.folder)


async def _stay_away_for_too_long(second: Laptop, first: Laptop, starter: Starter) -> None:
    """Stop the second laptop until the first one has deleted changes that the second one still needs.

    The second laptop then gets a new copy.
    """
    second.stop()
    async with _writing(first) as writer:
        await writer.write("while the second laptop was away")
    assert starter.run(["-c", FORGETS], environment_of(first.folder)).returncode == 0
    second.start(pairing.CONNECT)

    async def is_received() -> bool:
        return (second.folder / "second-laptop" / "received.json").exists()

    await until(is_received, "the second laptop gets a new copy", second, first)
    second.stop()
    assert await asyncio.to_thread(pairing.install, second.folder, starter) == ""
    assert _names(second) == _names(first)
    second.start(pairing.CONNECT)
    await has_everything(second, first.folder)


async def _kill(first: Laptop, second: Laptop, dice: random.Random) -> list[str]:
    """Kill the first laptop during a write, let the second one take over, and return the acknowledged writes.

    The second laptop is off during the first write, and has to catch up on it.
    """
    acknowledged = [f"together-{number}" for number in range(dice.randint(2, 20))]
    async with _writing(first) as writer:
        second.kill()
        await writer.write(acknowledged[0])
        second.start(pairing.CONNECT)
        await has_everything(second, first.folder)
        for name in acknowledged[1:]:
            await writer.write(name)
        writer.send("unanswered")
        first.kill()
    for _tap in range(2):
        assert await asyncio.to_thread(pairing.take_over, second.folder, second.starter) == ""
    return acknowledged


async def _cut(first: Laptop, second: Laptop, dice: random.Random) -> tuple[list[str], list[str]]:
    """Cut the network, and let both laptops write.

    Return the writes that the first laptop acknowledged before the cut and after it.
    """
    together = [f"again-{number}" for number in range(dice.randint(1, 20))]
    alone = ["alone-0", "alone-1", "alone-2"]
    async with _writing(first) as writer:
        for name in together:
            await writer.write(name)
        first.wire.cut(silent=dice.random() < 0.5)
        await writer.write(alone[0])
        assert await asyncio.to_thread(pairing.take_over, second.folder, second.starter) == ""
        async with _writing(second) as other:
            await other.write("later")
        for name in alone[1:]:
            await writer.write(name)
    first.wire.mend()
    return together, alone


class _Writer:
    """A process that reads names, creates a tournament with each name, and then prints the name as a confirmation."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests, self._answers = requests, answers

    def send(self, name: str) -> None:
        self._requests.write(f"{name}\n".encode())
        self._requests.flush()

    async def write(self, name: str) -> None:
        """Create a tournament with this name, and wait for the confirmation."""
        self.send(name)
        assert (await asyncio.to_thread(self._answers.readline)).decode().strip() == name


@asynccontextmanager
async def _writing(laptop: Laptop) -> AsyncIterator[_Writer]:
    """Within the block, run a process that creates tournaments on the laptop. Kill it at the end."""
    (given, requests), (answers, output) = os.pipe(), os.pipe()
    with open(given, "rb") as own_input, open(output, "wb") as own_output:
        environment = environment_of(laptop.folder)
        process = laptop.starter.start(["-c", WRITES], environment, own_output, own_input)
    with open(requests, "wb") as to_process, open(answers, "rb") as from_process:
        try:
            yield _Writer(to_process, from_process)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()


def _check(first: Laptop, second: Laptop, together: Sequence[str], alone: Sequence[str]) -> None:
    """Check the roles and the tournaments of both laptops after the first one was shut out."""
    assert (first.role, second.role) == (pairing.SHUT_OUT, "")
    there = _names(second)
    assert [name for name in together if there.count(name) != 1] == []
    assert [name for name in alone if name in there] == []
    only_first = [row.about for row in find_alone(read_recorded(first.database), read_recorded(second.database))]
    assert [name for name in only_first if name != "unanswered"] == list(alone)


def _names(laptop: Laptop) -> list[str]:
    with closing(sqlite3.connect(laptop.database)) as database:
        return [name for (name,) in database.execute("SELECT name FROM tournament_tournament ORDER BY id")]


async def _lists_missing_acts(laptop: Laptop, alone: Sequence[str]) -> None:
    """Check that the laptop that took over lists the actions that only the other laptop recorded.

    The list is complete as soon as the other laptop has heard of the takeover.
    """

    async def has_told() -> bool:
        return not (laptop.folder / "second-laptop" / "replaced.json").exists()

    await until(has_told, "the first laptop has heard of the takeover", laptop)
    acts = json.loads((laptop.folder / "second-laptop" / "missing-acts.json").read_text())
    assert sorted(act["rows"][0]["about"] for act in acts) == sorted(alone)
