"""Whole draws against cases worked out by another program from docs/draw.md."""

import json
import re
from pathlib import Path

import pytest

from pairing.draws.order import commitment_to, draw_order
from pairing.draws.places import Move
from pairing.draws.separation.draw import AvoidList, place_order

ROOT = Path(__file__).parents[4]
CASES = json.loads((ROOT / "tests/pairing/golden/draws.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_golden_draw(case: dict) -> None:
    secret = bytes.fromhex(case["secret"])
    assert commitment_to(secret) == case["commitment"]
    order = draw_order(case["numbers"], secret=secret, public=case["public"], draw_id=case["draw_id"])
    assert list(order) == case["order"]
    avoid = AvoidList.from_json(case["avoid"])
    assert avoid.as_json() == case["avoid"]
    drawn = place_order(order, byes_to=case["byes_to"], avoid=avoid)
    assert drawn.order == order
    assert list(drawn.places) == case["places"]
    assert [move.as_json() for move in drawn.moves] == case["moves"]
    assert [Move.from_json(move) for move in case["moves"]] == list(drawn.moves)


def test_the_golden_draws_show_every_kind_of_move() -> None:
    kinds = {
        (move["reason"], move["with"] is None, _is_earlier(case["order"], move))
        for case in CASES
        for move in case["moves"]
    }
    assert {
        ("bye", False, False),
        ("bye", False, True),
        ("avoid", False, False),
        ("avoid", False, True),
        ("avoid", True, False),
        ("same-person", False, False),
        ("same-person", False, True),
    } <= kinds


def _is_earlier(order: list[int], move: dict) -> bool:
    return move["with"] is not None and order.index(move["with"]) < order.index(move["entry"])


def test_the_example_in_the_documentation_is_the_first_case() -> None:
    text = (ROOT / "docs/draw.md").read_text().replace("*", "")
    case = CASES[0]
    assert case["commitment"] in text
    assert re.findall(r"^\| (\d) \| `[0-9a-f]{8}` \| \w+ \|$", text, re.MULTILINE) == [
        str(number) for number in case["order"]
    ]
    rows = re.findall(r"^\| [^|]+((?:\| [–\d] ){8})\|$", text, re.MULTILINE)
    places = [None if cell == "–" else int(cell) for cell in rows[-1].replace("|", "").split()]
    assert places == case["places"]
    moves = " ".join(str(Move.from_json(move)) for move in case["moves"])
    assert moves in re.sub(r"\s+", " ", text)
