"""Let a second laptop follow the site of the load test, on the same machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.devtools.hall.site import Site
from tests.devtools.takeover.laptops import Laptop, follow, has_everything

LINK_PORT_ABOVE: Final = 2
"""The port that a second laptop connects to is higher than the port of the site's pages by this number."""


@contextmanager
def following_laptop(site: Site, folder: Path) -> Iterator[Laptop]:
    """Run a second laptop. It has copied all data of the site when the block begins."""
    laptop = Laptop("the second laptop", folder)
    try:
        asyncio.run(follow(laptop, site.folder, f"127.0.0.1:{site.port + LINK_PORT_ABOVE}"))
        yield laptop
    finally:
        laptop.stop()


async def count_on_second(laptop: Laptop, site: Site, names: tuple[str, str], writes: str) -> dict[str, list[str]]:
    """Wait until the second laptop has all data of the site, and count the writes there.

    Return descriptions of the lost writes, the duplicate writes, and the problems that `verify_event` reports.
    """
    await has_everything(laptop, site.folder)
    second = Site(laptop.url, laptop.folder, site.process, site.known)
    counted = await asyncio.to_thread(second.ask_module, "tests.devtools.hall.count", *names, given=writes)
    found = json.loads(counted)
    return {name: [f"on {laptop.name}: {one}" for one in found[name]] for name in ("lost", "doubled", "problems")}
