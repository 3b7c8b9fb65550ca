"""A short version of `make takeover`: only the connection and a writer run on each laptop.

The whole program takes several times as long to start. `make test-long` plays some takeovers with it.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Final

import pytest

from laptop.prepare import make_migrated_database
from tests.devtools.hall.site import ROOT, environment_of
from tests.devtools.takeover import pairing
from tests.devtools.takeover.facts import read_recorded
from tests.devtools.takeover.judge import find_alone
from tests.devtools.takeover.laptops import Laptop, has_everything, until

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


@pytest.mark.long
def test_the_second_laptop_takes_over_from_a_dead_one_and_from_one_that_is_cut_off(tmp_path: Path) -> None:
    """One story, because starting the processes takes seconds: after the first takeover the laptops change places."""
    asyncio.run(_play(Laptop("A", tmp_path / "A"), Laptop("B", tmp_path / "B")))


async def _play(first: Laptop, second: Laptop) -> None:
    dice = random.Random(int(os.environ.get("TEST_SEED", "1")))
    for laptop in (first, second):
        make_migrated_database(Path(sys.executable)).copy_to(laptop.database)
        (laptop.folder / "secrets.env").write_text(f"SECRET_KEY={laptop.name}\nSEAL_SECRET={laptop.name}\n")
        await laptop.wire.open()
    try:
        first.start(pairing.CONNECT)
        await _follow(second, first)
        acknowledged = await _kill(first, second, dice)
        first.start(pairing.CONNECT)
        await first.has_role(pairing.SHUT_OUT)
        _check(first, second, acknowledged, [])

        first.stop()
        await _follow(first, second)
        together, alone = await _cut(second, first, dice)
        await second.has_role(pairing.SHUT_OUT)
        _check(second, first, together, alone)
    finally:
        for laptop in (first, second):
            laptop.stop()
            await laptop.wire.close()


async def _follow(second: Laptop, first: Laptop) -> None:
    """Pair the two, after an attempt with wrong words."""
    words = await asyncio.to_thread(pairing.add, first.folder)

    async def join(words: str) -> str:
        return await asyncio.to_thread(pairing.join, second.folder, first.wire.address, words)

    async def is_refused() -> bool:
        return "These are not the words" in await join("six words that are not it")

    await until(is_refused, "the first laptop listens", first)
    assert await join(words.upper()) == ""
    assert (second.folder / "secrets.env").read_text() == (first.folder / "secrets.env").read_text()
    second.start(pairing.CONNECT)
    await has_everything(second, first.folder)


async def _kill(first: Laptop, second: Laptop, dice: random.Random) -> list[str]:
    """Kill the first laptop during a random write, let the second one take over, and return what was acknowledged.

    The second laptop misses the first write, because it is off at that moment.
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
        assert await asyncio.to_thread(pairing.take_over, second.folder) == ""
    return acknowledged


async def _cut(first: Laptop, second: Laptop, dice: random.Random) -> tuple[list[str], list[str]]:
    """Cut the wire, and let both laptops write. Return what the first one acknowledged before and after that."""
    together = [f"again-{number}" for number in range(dice.randint(1, 20))]
    alone = ["alone-0", "alone-1", "alone-2"]
    async with _writing(first) as writer:
        for name in together:
            await writer.write(name)
        first.wire.cut(silent=dice.random() < 0.5)
        await writer.write(alone[0])
        assert await asyncio.to_thread(pairing.take_over, second.folder) == ""
        async with _writing(second) as other:
            await other.write("later")
        for name in alone[1:]:
            await writer.write(name)
    first.wire.mend()
    return together, alone


class _Writer:
    """A process that records a tournament for each line that it gets, and then answers with the same line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._in, self._out = process.stdin, process.stdout

    def send(self, name: str) -> None:
        self._in.write(f"{name}\n".encode())

    async def write(self, name: str) -> None:
        """Write, and wait until it is acknowledged."""
        self.send(name)
        assert (await self._out.readline()).decode().strip() == name


@asynccontextmanager
async def _writing(laptop: Laptop) -> AsyncIterator[_Writer]:
    """Run a writer, which is killed at the end."""
    environment, pipe = environment_of(laptop.folder), subprocess.PIPE
    command = (sys.executable, "-c", WRITES)
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe)
    try:
        yield _Writer(process)
    finally:
        process.kill()
        await process.wait()


def _check(first: Laptop, second: Laptop, together: Sequence[str], alone: Sequence[str]) -> None:
    """Check both laptops after the first one was shut out."""
    assert (first.role, second.role) == (pairing.SHUT_OUT, "")
    there = _names(second)
    assert [name for name in together if there.count(name) != 1] == []
    assert [name for name in alone if name in there] == []
    only_first = [row.about for row in find_alone(read_recorded(first.database), read_recorded(second.database))]
    assert [name for name in only_first if name != "unanswered"] == list(alone)


def _names(laptop: Laptop) -> list[str]:
    with closing(sqlite3.connect(laptop.database)) as database:
        return [name for (name,) in database.execute("SELECT name FROM tournament_tournament ORDER BY id")]
