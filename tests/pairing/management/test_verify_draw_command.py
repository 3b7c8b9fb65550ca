import copy
import hashlib
import hmac
import json
import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.pairing.helpers.commands import run_json_lines, spoil

ROOT = Path(__file__).parents[3]
GOLDEN = json.loads((ROOT / "tests/pairing/golden/draws.json").read_text())["cases"]
FIELDS = ("secret", "commitment", "public", "draw_id", "numbers", "order")


verify = partial(run_json_lines, "verify_draw")


def published(**changed: Any) -> dict[str, Any]:
    case = {name: copy.deepcopy(GOLDEN[0][name]) for name in FIELDS}
    return {**case, **changed}


def refusals(case: Any) -> list[tuple[str, str]]:
    (answer,), status = verify(case)
    assert (status, answer["ok"]) == (1, False)
    assert all(error["message"].endswith(".") for error in answer["errors"])
    return [(error["code"], error["path"]) for error in answer["errors"]]


def test_the_golden_draws_are_good() -> None:
    assert verify(*({name: case[name] for name in FIELDS} for case in GOLDEN)) == ([{"ok": True}] * len(GOLDEN), 0)


def test_the_order_is_that_of_the_lots_as_the_contract_words_it() -> None:
    secret = bytes(range(100, 132))
    numbers = [1, 2, 10, 11, 100, 999]
    lots = {
        number: hmac.new(secret, f"J♦ 3♣|night|{number}".encode(), hashlib.sha256).hexdigest() for number in numbers
    }
    case = {
        "secret": secret.hex(),
        "commitment": hashlib.sha256(secret).hexdigest(),
        "public": "J♦ 3♣",
        "draw_id": "night",
        "numbers": numbers,
        "order": sorted(numbers, key=lots.__getitem__),
    }
    assert verify(case) == ([{"ok": True}], 0)
    assert verify({**case, "numbers": numbers[::-1]}) == ([{"ok": True}], 0)


OTHER_SECRET = "ff" * 32


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"commitment": "0" * 64}, [("commitment-mismatch", "commitment")]),
        ({"secret": OTHER_SECRET}, [("commitment-mismatch", "commitment"), ("order-mismatch", "order")]),
        ({"public": "7H QS 2C"}, [("order-mismatch", "order")]),
        ({"public": ""}, [("order-mismatch", "order")]),
        ({"draw_id": "singles-2"}, [("order-mismatch", "order")]),
        ({"order": [5, 2, 4, 1, 6, 3]}, [("order-mismatch", "order")]),
        ({"order": [2, 5, 4, 1, 6]}, [("order-mismatch", "order")]),
        ({"order": [2, 5, 4, 1, 6, 3, 3]}, [("order-mismatch", "order")]),
        ({"order": [2, 5, 4, 1, 6, 2]}, [("order-mismatch", "order")]),
        ({"order": [2, 5, 4, 1, 6, 7]}, [("order-mismatch", "order")]),
        ({"order": []}, [("order-mismatch", "order")]),
        ({"numbers": [1, 2, 3, 4, 5]}, [("order-mismatch", "order")]),
        ({"numbers": [1, 2, 3, 4, 5, 6, 6]}, [("bad-value", "numbers[6]")]),
        ({"numbers": [1, 2, 3, 4, 5, "6"]}, [("bad-value", "numbers[5]")]),
        ({"order": [2, 5, 4, 1, 6, "3"]}, [("bad-value", "order[5]")]),
        ({"order": [2, 5, 4, 1, 6, 0]}, [("bad-value", "order[5]")]),
        ({"order": "2 5 4 1 6 3"}, [("bad-value", "order")]),
        ({"secret": "00" * 31}, [("bad-value", "secret")]),
        ({"secret": "00" * 33}, [("bad-value", "secret")]),
        ({"secret": "0" * 63 + "g"}, [("bad-value", "secret")]),
        ({"secret": GOLDEN[0]["secret"].upper()}, [("bad-value", "secret")]),
        ({"secret": GOLDEN[0]["secret"] + "\n"}, [("bad-value", "secret")]),
        ({"secret": " " + GOLDEN[0]["secret"][1:]}, [("bad-value", "secret")]),
        ({"secret": "٠" * 64}, [("bad-value", "secret")]),
        ({"secret": 7}, [("bad-value", "secret")]),
        ({"commitment": GOLDEN[0]["commitment"].upper()}, [("bad-value", "commitment")]),
        ({"commitment": ""}, [("bad-value", "commitment")]),
        ({"public": None}, [("bad-value", "public")]),
        ({"public": "\ud800"}, [("bad-value", "public")]),
        ({"draw_id": ""}, [("bad-value", "draw_id")]),
        ({"draw_id": 1}, [("bad-value", "draw_id")]),
        ({"places": []}, [("unknown-field", "places")]),
        (
            {"secret": "x", "order": [5, 2, 4, 1, 6, 3], "Public": ""},
            [("bad-value", "secret"), ("unknown-field", "Public")],
        ),
        ({"commitment": "x", "order": [5, 2, 4, 1, 6, 3]}, [("bad-value", "commitment"), ("order-mismatch", "order")]),
        ({"commitment": "0" * 64, "numbers": 7}, [("bad-value", "numbers"), ("commitment-mismatch", "commitment")]),
    ],
)
def test_refused_with_every_error(changed: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert refusals(published(**changed)) == expected


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_needed(name: str) -> None:
    case = published()
    del case[name]
    found = refusals(case)
    assert found[0] == ("missing-field", name)
    assert len(found) == 1


def test_a_published_list_with_nobody_in_it_has_an_order_too() -> None:
    assert verify(published(numbers=[], order=[])) == ([{"ok": True}], 0)


def test_spoiled_draws_by_the_thousand_have_a_code_and_a_path_each() -> None:
    chance = random.Random(2012)
    cases = []
    for _ in range(3000):
        case = published()
        for _ in range(chance.randint(1, 3)):
            case = spoil(case, chance, (*FIELDS, "zz", "\udfff"))
        cases.append(case)
    answers, status = verify(*cases)
    assert (len(answers), status) == (len(cases), 1)
    codes = {"bad-value", "missing-field", "unknown-field", "commitment-mismatch", "order-mismatch"}
    for case, answer in zip(cases, answers, strict=True):
        assert answer["ok"] == (json.dumps(case, sort_keys=True) == json.dumps(published(), sort_keys=True))
        for error in answer.get("errors", []):
            assert set(error) == {"code", "path", "message"}
            assert error["code"] in codes
            assert error["path"]
            assert error["message"]


@pytest.mark.parametrize(
    ("command", "good", "bad"),
    [
        ("verify_draw", published(), published(order=[1])),
        ("pair", {"format": "single-elimination", "entries": [2, 1]}, {"format": "none"}),
    ],
)
def test_on_a_machine_with_nothing_set_up(command: str, good: dict, bad: dict, tmp_path: Path) -> None:
    bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}

    def run(*cases: dict) -> subprocess.CompletedProcess:
        text = "".join(json.dumps(case) + "\n" for case in cases)
        call = [sys.executable, str(ROOT / "manage.py"), command]
        return subprocess.run(call, input=text, env=bare, cwd=tmp_path, capture_output=True, text=True, check=False)

    fine, mixed = run(good, good), run(bad, good)
    assert (fine.returncode, fine.stderr) == (0, "")
    assert [json.loads(line)["ok"] for line in fine.stdout.splitlines()] == [True, True]
    assert (mixed.returncode, mixed.stderr) == (1, "")
    assert [json.loads(line)["ok"] for line in mixed.stdout.splitlines()] == [False, True]
