"""The commands that need nothing: no matter what the environment says, right or wrong, they answer the same."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest

from config.stateless import COMMANDS
from tests.config.helpers import ROOT, WRONG
from tournament.management.jsonlines import JsonLinesCommand

SECRET = "00" * 32
COMMITMENT = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
DRAWN = {"secret": SECRET, "commitment": COMMITMENT, "public": "7H QS 2D", "draw_id": "d", "numbers": [1], "order": [1]}
CASES = {
    "tally": {"rules": "gra-singles", "sides": ["A", "B"], "lines": []},
    "deadwood": {"hand": "AS 2S 3S 7H 7D 7C KD QD 4C 9H"},
    "adjudicate": {"rules": "gra-singles", "kind": "touched-pile"},
    "pair": {"format": "round-robin", "entries": [1, 2]},
    "standings": {"entries": [1, 2], "matches": []},
    "ledger": {"movements": [{"kind": "charge", "entry": 7, "cents": 10000}]},
    "payout": {"fees_cents": [10000], "scale": ["100"], "finish": [[1]]},
    "verify_draw": DRAWN,
    "verify_partners": {**DRAWN, "pairs": [], "left": [1]},
}


def test_every_command_of_this_kind_is_run_without_settings() -> None:
    found = {}
    for app in ("scoring", "pairing", "tournament"):
        folder = import_module(f"{app}.management.commands")
        for module in pkgutil.iter_modules(folder.__path__):
            made = import_module(f"{folder.__name__}.{module.name}").Command
            if issubclass(made, JsonLinesCommand):
                found[module.name] = app
    assert found == COMMANDS
    assert CASES.keys() == COMMANDS.keys()


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_wrong_settings_and_a_byte_order_mark_stop_nothing(command: str) -> None:
    line = json.dumps(CASES[command]).encode()
    done = subprocess.run(
        [sys.executable, "manage.py", command],
        input=b"\xef\xbb\xbf" + line + b"\n" + line,
        capture_output=True,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **WRONG},
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    answers = [json.loads(answer) for answer in done.stdout.splitlines()]
    assert [answer["ok"] for answer in answers] == [True, True]
    assert answers[0] == answers[1]


def test_a_wrong_setting_still_stops_what_reads_it() -> None:
    """Else the test above would show nothing."""
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        capture_output=True,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **WRONG},
        timeout=120,
        check=False,
    )
    assert done.returncode != 0


def test_without_a_standard_input_there_is_nothing_to_answer() -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} manage.py tally <&-"],
        capture_output=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
