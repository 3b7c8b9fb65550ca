"""Test that the stateless commands give the same answers in any environment."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest

from config.stateless import FILE_READING_COMMANDS, STATELESS_COMMANDS
from tests.commands import ROOT, WRONG_SETTINGS, run_command
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
    assert found == STATELESS_COMMANDS
    assert CASES.keys() == STATELESS_COMMANDS.keys()


@pytest.mark.parametrize("command", sorted(STATELESS_COMMANDS))
def test_wrong_settings_and_a_byte_order_mark_stop_nothing(command: str) -> None:
    line = json.dumps(CASES[command]).encode()
    status, answers, stderr = run_command(command, b"\xef\xbb\xbf" + line + b"\n" + line, **WRONG_SETTINGS)
    assert (status, stderr) == (0, "")
    assert [answer["ok"] for answer in answers] == [True, True]
    assert answers[0] == answers[1]


LONG, DEEP = b'"' + b"A" * 200_000 + b'"', b"[" * 900 + b"]" * 900
NOISE = [
    b"not json", b"[]", b"null", b"5", b'"conduct"', b"{}", b'{"kind": NaN}', b"\xff\xfe\x00", b"\x00", b"[" * 100_000,
    b'{"a":' * 5_000, b'{"a": ' + DEEP + b"}", b"{" + b"x" * 2_000_000, b'{"a": ' + LONG + b"}", b'{"a": 1, "a": 2}',
]  # fmt: skip
KNOCK = {"up": "8H", "by": "A", "count": 10, "opponent_count": 7, "opponent_accepts": True}
GIN = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 7}}
TALLY = {"rules": "gra-singles", "options": {"target": 150}, "sides": ["A", "B"], "lines": [GIN]}
SPOILED: dict[str, tuple[object, list[tuple[bytes, bytes]]]] = {
    "adjudicate": (
        {"rules": "gra-singles", "kind": "improper-knock", "facts": KNOCK},
        [
            (b"8H", b"\\ud800"), (b"10", b"9" * 5_000), (b"10", b"1e400"), (b'"A"', LONG), (b'"A"', DEEP),
            (b'"count"', LONG),             (b"}}", b'}, "sides": [' + b"5," * 200_000 + b"5]}"),
            (b'"improper-knock"', b'"conduct", "kind": "up-card"'),
        ],
    ),
    "deadwood": (
        CASES["deadwood"],
        [
            (b"AS", b"\\ud800"), (b"}", b', "knocker": [' + b'"AS",' * 100_000 + b'"AS"]}'),
            (b"}", b', "Ace": "both"}'),
            (b"}", b', "ace": ' + b"9" * 5_000 + b"}"), (b'"AS', b'"' + b"AS " * 700_000),
        ],
    ),
    "tally": (
        TALLY,
        [
            (b"150", b"9" * 5_000), (b"150", b"1e400"), (b"150", b"-Infinity"), (b"7", b"9" * 400), (b"150", DEEP),
            (b"8H", b"\\ud800"), (b'"A"', LONG), (b"[{", b"[" + b"5," * 200_000 + b"{"),
        ],
    ),
    "payout": (CASES["payout"], [(b"10000", b"9" * 5_000), (b"}", b', "scale": []}')]),
}  # fmt: skip


@pytest.mark.sample("noise of a command", 3)
@pytest.mark.parametrize("command", sorted(STATELESS_COMMANDS))
def test_noise_is_refused_line_by_line_without_a_traceback(command: str) -> None:
    case, spoiled = SPOILED.get(command, (CASES[command], []))
    good = json.dumps(case).encode()
    noise = [*NOISE, *(good.replace(old, new) for old, new in spoiled)]
    assert good not in noise
    status, answers, stderr = run_command(command, b"\n".join([*noise, good]))
    assert (status, stderr) == (1, "")
    assert [answer["ok"] for answer in answers] == [False] * len(noise) + [True]
    for answer in answers[:-1]:
        assert answer["errors"]
        assert all(e.keys() == {"code", "path", "message"} and e["code"] and e["message"] for e in answer["errors"])


def test_a_wrong_setting_still_stops_what_reads_it() -> None:
    """The other tests would prove nothing if a normal command accepted WRONG_SETTINGS."""
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        capture_output=True,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **WRONG_SETTINGS},
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


def test_the_debian_package_lets_every_user_run_them() -> None:
    wrapper = (ROOT / "laptop" / "debian" / "gin-rummy.sh").read_text(encoding="utf-8")
    for_everybody = set(wrapper.partition(" in\n")[2].partition(")")[0].replace("\\", "").split())
    assert {name.replace("_", "-") for name in STATELESS_COMMANDS | FILE_READING_COMMANDS} <= for_everybody
