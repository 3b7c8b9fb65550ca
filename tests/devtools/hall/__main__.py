"""The command line for the load test: `python -m tests.devtools.hall --phones 500 --writers 40 --minutes 10`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import math
import os
import resource
import signal
import sys
import tempfile
import time
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from tests.devtools.hall.book import Book
from tests.devtools.hall.faults import Faults, small_disk
from tests.devtools.hall.follower import count_on_second, following_laptop
from tests.devtools.hall.phones import Herd, Phone, make_phones
from tests.devtools.hall.report import Outcome
from tests.devtools.hall.servers import Postgres, further_servers, shared_services
from tests.devtools.hall.site import Meter, Site, make_clock, running_site
from tests.devtools.hall.writers import Desk, Hall, Writer, make_writers
from tests.devtools.takeover.laptops import Laptop

DESKS_THAT_LOOK = 3
LOOK_EVERY = 5.0
SETTLES = 20.0
"""Every phone has to show the last write within this number of seconds."""


def main(arguments: list[str]) -> int:
    wanted = _parser().parse_args(arguments)
    _open_many_files()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the site ends and its disk is taken away all the same
    load = os.getloadavg()[0]
    with (
        tempfile.TemporaryDirectory(prefix="hall-") as folder,
        shared_services(Path(folder) / "shared") if wanted.servers > 1 else nullcontext() as postgres,
        small_disk(Path(folder) / "site") if wanted.faults and wanted.only in "disk" else nullcontext(),
        running_site(
            Path(folder) / "site",
            entrants=wanted.entrants,
            herd=wanted.herd,
            clock=make_clock(Path(folder)) if wanted.faults else None,
        ) as site,
        further_servers(site, wanted.servers - 1) as others,
        following_laptop(site, Path(folder) / "second") if wanted.follower else nullcontext() as second,
    ):
        outcome = asyncio.run(_run([site, *others], wanted, load, postgres, second))
        outcome.log = "".join(one.log() for one in (site, *others, *([second] if second else [])))
    print("\n".join(outcome.lines()))
    if wanted.json:
        wanted.json.write_text(json.dumps(outcome.as_json(), indent=1))
    return 0 if outcome.is_good else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.devtools.hall", description=__doc__)
    parser.add_argument("--phones", type=int, default=500)
    parser.add_argument("--writers", type=int, default=40, help="each writes once in ten seconds")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--entrants", type=int, default=256)
    parser.add_argument("--opening", type=float, default=None, help="seconds over which phones open their page")
    parser.add_argument("--herd", action="store_true", help="play is started, and everybody's match with it, once")
    parser.add_argument("--faults", action="store_true", help="what can go wrong goes wrong meanwhile")
    parser.add_argument("--only", default="", help="of the faults those with this in their name, with --faults")
    parser.add_argument("--servers", type=int, default=1, help="that share a PostgreSQL and a Redis, with two or more")
    parser.add_argument("--follower", action="store_true", help="a second laptop follows, on this machine")
    parser.add_argument("--broker-away", type=float, default=60.0, help="seconds, with --faults")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    return parser


def _open_many_files() -> None:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _run(
    sites: list[Site], wanted: argparse.Namespace, load: float, postgres: Postgres | None, second: Laptop | None
) -> Outcome:
    site, urls = sites[0], [one.url for one in sites]
    book, meter = Book(), Meter(site.process.pid, second.process.pid if second and second.process else None)
    hall = Hall(urls, book, site.known)
    phones = make_phones(urls, book, wanted.phones, site.known)
    opening = wanted.opening if wanted.opening is not None else max(2.0, wanted.phones / 10)
    await _open(phones, opening)
    book.audience = list(phones)
    meter.start()
    looking = asyncio.ensure_future(_look(meter))
    herd = {}
    given = {"broker_away": wanted.broker_away, "postgres": postgres, "only": wanted.only}
    faults = Faults(site, hall, **given) if wanted.faults else None
    if wanted.herd:
        herd = await Herd(hall, phones).start_play()
        never_shown = 0
    else:
        writers = make_writers(hall, wanted.writers)
        desks = await _open_desks(hall, writers)
        hall.until = until = time.monotonic() + wanted.minutes * 60
        if faults:
            hall.until = math.inf  # as long as they take
        working = [asyncio.ensure_future(writer.work()) for writer in writers]
        if faults:
            await faults.run()
            hall.until = until
        await asyncio.gather(*working)
        never_shown = await _settle(phones)
        await asyncio.gather(*(writer.close() for writer in writers), *(desk.close() for desk in desks))
    meter.look()
    looking.cancel()
    await asyncio.gather(*(phone.close() for phone in phones))
    writes = json.dumps([asdict(one) for one in book.written])
    names = (site.known["tournament"], site.known["event"])
    counted = json.loads(await asyncio.to_thread(site.ask_module, "tests.devtools.hall.count", *names, given=writes))
    if second is not None:
        for name, wrong in (await count_on_second(second, site, names, writes)).items():
            counted[name] += wrong
    asked = ["phones", "entrants"] if wanted.herd else ["phones", "writers", "minutes", "entrants", "servers"]
    order = {name: getattr(wanted, name) for name in asked} | {"herd": wanted.herd}
    order |= {"second laptop": 1} if second is not None else {}
    return Outcome(order, book, meter, counted, load, never_shown, herd=herd, faults=faults)


async def _open(phones: list[Phone], seconds: float) -> None:
    """Open the phones' pages one after another within `seconds`, as people arrive, and wait for all of them."""

    async def one(turn: int, phone: Phone) -> None:
        await asyncio.sleep(seconds * turn / len(phones))
        await phone.open()

    await asyncio.gather(*(one(turn, phone) for turn, phone in enumerate(phones)))
    await asyncio.sleep(1)
    gc.freeze()


async def _open_desks(hall: Hall, writers: list[Writer]) -> list[Phone]:
    """Sign in the simulated staff, and return the devices on which the staff page *Today* is open."""
    staff = [writer for writer in writers if isinstance(writer, Desk)]
    for writer in staff:
        await writer.open()
    looking = []
    for writer in staff[:DESKS_THAT_LOOK]:
        phone = Phone(hall.site, hall.book, "Today", f"{hall.desk}/today/")
        phone.browser.cookies = dict(writer.browser.cookies)
        await phone.open()
        looking.append(phone)
    return looking


async def _look(meter: Meter) -> None:
    while True:
        meter.look()
        await asyncio.sleep(LOOK_EVERY)


async def _settle(phones: list[Phone]) -> int:
    """Wait until the phones show all expected writes, and return how many are still missing when the time is up."""
    deadline = time.monotonic() + SETTLES
    while time.monotonic() < deadline and any(phone.expected for phone in phones):
        await asyncio.sleep(0.2)
    for phone in phones:
        for expected in phone.expected:
            ago = time.monotonic() - expected.since
            phone.book.remarks[
                f"never shown on {phone.kind}: {expected.subject}, {ago:.0f} s after it was written"
            ] += 1
    return sum(len(phone.expected) for phone in phones)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
