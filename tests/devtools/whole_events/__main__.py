"""The command line for random events: `python -m tests.devtools.whole_events --events 200 --seed 1`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

from tests.devtools.whole_events.runner import Order, Outcome, play_all, spread


def main(arguments: list[str]) -> int:
    wanted = _parser().parse_args(arguments)
    orders = _orders(wanted)
    bad = 0
    for number, outcome in enumerate(play_all(orders, wanted.processes), start=1):
        bad += not outcome.good
        _print(number, len(orders), outcome, wanted.most)
    print(f"{len(orders)} events, {bad} with disagreements")
    return 1 if bad else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.devtools.whole_events", description=__doc__)
    parser.add_argument("--events", type=int, default=10, help="how many are played")
    parser.add_argument("--seed", type=int, default=1, help="the first seed; each event has the next one")
    parser.add_argument("--kind", default="", help="only this kind")
    parser.add_argument("--rules", default="", help="only these rules")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--often", type=float, default=0.03, help="share of acts after which all pages are looked at")
    parser.add_argument(
        "--changes",
        type=float,
        default=0.0,
        help="share of columns changed at the end, past the program; not with --round-trips",
    )
    parser.add_argument("--round-trips", action="store_true", help="move each event through files, and play on there")
    parser.add_argument("--entrants", type=int, default=None)
    parser.add_argument("--most", type=int, default=20, help="disagreements printed of one event")
    return parser


def _orders(wanted: argparse.Namespace) -> list[Order]:
    choices = [(kind, rules) for kind, rules in _listed() if wanted.kind in ("", kind) and wanted.rules in ("", rules)]
    if not choices:
        sys.exit("Nothing on the list is of that kind and played by those rules.")
    chosen = spread(choices, wanted.events, wanted.seed)
    return [
        Order(kind, rules, wanted.seed + turn, wanted.often, wanted.entrants, wanted.changes, wanted.round_trips)
        for turn, (kind, rules) in enumerate(chosen)
    ]


def _listed() -> list[tuple[str, str]]:
    command = [sys.executable, "manage.py", "play_demo_event", "--list"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return [(one["kind"], one["rules"]) for one in found]


def _print(number: int, events: int, outcome: Outcome, most: int) -> None:
    said = "ok " if outcome.good else "BAD"
    spent = f"{outcome.busy:.0f} s, {outcome.comparing:.0f} of them comparing"
    print(f"{said} {number}/{events} {outcome.order}: {outcome.acts} acts in {spent}", flush=True)
    if outcome.fault:
        print(f"      stopped: {outcome.fault}")
    for one in outcome.found[:most]:
        print(f"      {one}")
    if len(outcome.found) > most:
        print(f"      and {len(outcome.found) - most} more")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
