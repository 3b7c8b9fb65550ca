"""Keep two laptops paired. After each takeover, they swap roles, which is cheaper than starting new ones."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.devtools.hall.site import ask_module, environment_of
from tests.devtools.takeover.laptops import Laptop, copy_installation, follow
from tests.devtools.takeover.starting import Starter


@dataclass(frozen=True, slots=True)
class Event:
    """An installation's folder with an event in play, and what the simulated users need to know about the event."""

    folder: Path
    known: dict[str, Any]


def make_event(folder: Path, entrants: int) -> Event:
    """Create an event in the folder, which takes half a minute, or load the event that is already there."""
    known = folder / "known.json"
    if not known.exists():
        folder.mkdir(parents=True, exist_ok=True)
        known.write_text(ask_module(folder, "tests.devtools.hall.event", str(entrants)))
    return Event(folder, json.loads(known.read_text()))


@dataclass
class Pair:
    """Two paired laptops, and what the simulated users need to know about their event.

    `cheap` starts all processes that are not measured. `cookies` contains the staff's cookies, keyed by sign-in link.
    They are valid on both laptops.
    """

    first: Laptop
    second: Laptop
    known: dict[str, Any]
    cheap: Starter
    cookies: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    async def begin(cls, folder: Path, event: Event, cheap: Starter, second: Starter) -> Pair:
        """Start the first laptop with a copy of the event, and pair it with an empty second laptop."""
        pair = cls(
            Laptop("A", folder / "A", starter=cheap), Laptop("B", folder / "B", starter=second), event.known, cheap
        )
        copy_installation(event.folder, pair.first.folder)
        await asyncio.gather(pair.first.wire.open(), pair.second.wire.open())
        try:
            pair.first.start()
            await pair.first.wait_for("/rules/")
            await follow(pair.second, pair.first.folder, pair.first.wire.address)
        except BaseException:
            await pair.close()
            raise
        return pair

    async def turn_around(self, second: Starter) -> None:
        """Swap the laptops' roles after a takeover: the first laptop now follows the one that took over."""
        await asyncio.to_thread(self.first.stop)
        self.first, self.second = self.second, self.first
        self.second.starter = second
        await follow(self.second, self.first.folder, self.first.wire.address)

    async def verify(self, laptop: Laptop) -> list[str]:
        """Return the problems that `verify_event` reports on a laptop."""
        command = ["manage.py", "verify_event", self.known["tournament"], self.known["event"], "--json"]
        done = await asyncio.to_thread(self.cheap.run, command, environment_of(laptop.folder))
        if done.returncode > 1 or not done.stdout.strip():
            return [f"verify_event on {laptop.name} ended with {done.returncode}: {done.stderr}"]
        problems = json.loads(done.stdout.strip().splitlines()[-1])["problems"]
        return [f"verify_event on {laptop.name}: {one['place']}: {one['message']}" for one in problems]

    async def close(self) -> None:
        for laptop in (self.first, self.second):
            await asyncio.to_thread(laptop.stop)
            await laptop.wire.close()
