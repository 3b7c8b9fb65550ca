"""Two paired laptops. After each takeover they change places, which is cheaper than starting new ones."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.devtools.hall.site import ROOT, ask_module, environment_of
from tests.devtools.takeover.laptops import Laptop, copy_installation, follow


@dataclass(frozen=True, slots=True)
class Event:
    """The folder of an installation with an event in play, and what phones and writers need to know of it."""

    folder: Path
    known: dict[str, Any]


def make_event(folder: Path, entrants: int) -> Event:
    """Create the event, which takes half a minute, or take the one that is in the folder already."""
    known = folder / "known.json"
    if not known.exists():
        folder.mkdir(parents=True, exist_ok=True)
        known.write_text(ask_module(folder, "tests.devtools.hall.event", str(entrants)))
    return Event(folder, json.loads(known.read_text()))


@dataclass
class Pair:
    """Two laptops that are paired, and what phones and writers need to know of their event."""

    first: Laptop
    second: Laptop
    known: dict[str, Any]
    verifiers: dict[Path, subprocess.Popen[str]] = field(default_factory=dict)

    @classmethod
    async def begin(cls, folder: Path, event: Event, readers: int = 1) -> Pair:
        """Start two laptops: the first one with a copy of the event, and an empty one that follows it."""
        first, second = (Laptop(name, folder / name, readers) for name in ("A", "B"))
        pair = cls(first, second, event.known)
        copy_installation(event.folder, first.folder)
        await asyncio.gather(first.wire.open(), second.wire.open())
        try:
            first.start()
            await first.wait_for("/rules/")
            await follow(second, first.folder, first.wire.address)
        except BaseException:
            await pair.close()
            raise
        return pair

    async def turn_around(self) -> None:
        """Let the laptop that was shut out follow the one that took over. They have changed places then."""
        await asyncio.to_thread(self.first.stop)
        self.first, self.second = self.second, self.first
        await follow(self.second, self.first.folder, self.first.wire.address)

    async def verify(self, laptop: Laptop) -> list[str]:
        """Return what `verify_event` finds on a laptop."""
        if laptop.folder not in self.verifiers:
            self.verifiers[laptop.folder] = subprocess.Popen(
                [sys.executable, "-m", "tests.devtools.takeover.verifier"],
                cwd=ROOT,
                env=environment_of(laptop.folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        process = self.verifiers[laptop.folder]
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(f"{self.known['tournament']} {self.known['event']}\n")
        process.stdin.flush()
        answer = await asyncio.to_thread(process.stdout.readline)
        return [f"verify_event on {laptop.name}: {one}" for one in json.loads(answer)]

    async def close(self) -> None:
        for process in self.verifiers.values():
            process.kill()
            process.wait()
        for laptop in (self.first, self.second):
            await asyncio.to_thread(laptop.stop)
            await laptop.wire.close()
