"""The command line for attacks: `python -m tests.devtools.attacks [HOST PORT [NAME …]]`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.devtools.attacks.floods import FLOODS, NO_EVENT, attack
from tests.devtools.attacks.tries import NEED_ROWS, TRIES, Against
from tests.devtools.hall.site import started


def main(arguments: list[str]) -> int:
    if arguments[:1] and arguments[0].replace(".", "").isdigit():
        host, port, *names = arguments
        return run_all(host, Against(int(port)), names)
    with (
        tempfile.TemporaryDirectory(prefix="attacks-") as folder,
        started(Path(folder), "tests.devtools.spoiled.make") as site,
    ):
        wrong = run_all("127.0.0.1", Against(site.port, site.known), arguments)
        log = site.log()
    if "Traceback" in log:
        print(log[-5000:])
        wrong += 1
    return wrong


def run_all(host: str, site: Against, names: list[str]) -> int:
    """Run the named attacks, or all of them, and return how many of them found a problem."""
    wrong = 0
    for name in names or FLOODS:
        if name in FLOODS:
            event = site.open_event if site.rows is not None else NO_EVENT
            seen = asyncio.run(attack(host, site.port, name, event=event))
            held = not seen.answers.keys() - {"200", "403", "429"}
            wrong += not held
            print(f"{'ok ' if held else 'BAD'} {name:18} {seen}", flush=True)
    for name in names or TRIES:
        if name in TRIES and (site.rows is not None or name not in NEED_ROWS):
            began = time.monotonic()
            said = TRIES[name](site)
            wrong += bool(said)
            print(f"{'BAD' if said else 'ok '} {name:18} {time.monotonic() - began:6.1f} s {said}", flush=True)
        elif name in TRIES:
            print(f"    {name:18} needs rows: make attack", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
