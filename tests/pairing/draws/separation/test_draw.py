"""Whole draws, compared with cases that another program computed according to docs/draw.md."""

import json
import re
from pathlib import Path

import pytest

from pairing.draws.order import compute_commitment, compute_draw_order
from pairing.draws.places import EntryMove
from pairing.draws.separation.draw import (
    BLIND_DRAW_TERMS,
    AvoidList,
    DrawKind,
    DrawTerms,
    place_drawn_order,
    place_entries_by_terms,
)

ROOT = Path(__file__).parents[4]
CASES = json.loads((ROOT / "tests/pairing/golden/draws.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_golden_draw(case: dict) -> None:
    secret = bytes.fromhex(case["secret"])
    assert compute_commitment(secret) == case["commitment"]
    order = compute_draw_order(case["numbers"], secret=secret, public=case["public"], draw_id=case["draw_id"])
    assert list(order) == case["order"]
    avoid = AvoidList.from_json(case["avoid"])
    assert avoid.as_json() == case["avoid"]
    drawn = place_drawn_order(order, byes_to=case["byes_to"], avoid=avoid)
    assert list(drawn.places) == case["places"]
    assert [move.as_json() for move in drawn.moves] == case["moves"]
    assert [EntryMove.from_json(move) for move in case["moves"]] == list(drawn.moves)


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
    moves = " ".join(str(EntryMove.from_json(move)) for move in case["moves"])
    assert moves in re.sub(r"\s+", " ", text)


# --- Test draw by terms ----------------------------------------------------------------------------------------------
# What was promised before the draw: byes or seeds, kept, read back, and served.

ORDER = (4, 1, 5, 3, 2)


@pytest.mark.parametrize(
    ("terms", "kept"),
    [
        (DrawTerms(), {"kind": "blind", "entries": []}),
        (DrawTerms(DrawKind.SEEDED, (5, 2)), {"kind": "seeded", "entries": [5, 2]}),
        (DrawTerms(DrawKind.BYES, (3,)), {"kind": "byes", "entries": [3]}),
    ],
)
def test_terms_survive_storage(terms: DrawTerms, kept: dict[str, object]) -> None:
    assert terms.as_json() == kept
    assert DrawTerms.from_json(kept) == terms


def test_only_entries_in_the_draw_keep_their_seed() -> None:
    terms = DrawTerms(DrawKind.SEEDED, (5, 9, 2))
    assert terms.restrict_to({1, 2, 5}) == DrawTerms(DrawKind.SEEDED, (5, 2))
    assert terms.restrict_to({1, 3}) == BLIND_DRAW_TERMS


def test_the_terms_decide_the_places() -> None:
    blind = place_entries_by_terms(ORDER, BLIND_DRAW_TERMS)
    assert blind.places == (4, None, 1, 5, 3, None, None, 2)
    seeded = place_entries_by_terms(ORDER, DrawTerms(DrawKind.SEEDED, (5, 2)))
    assert seeded.places == (5, None, 3, 1, 4, None, None, 2)
    promised = place_entries_by_terms(ORDER, DrawTerms(DrawKind.BYES, (1,)))
    assert promised.places == (4, None, 3, 5, 1, None, None, 2)
    assert [str(move) for move in promised.moves] == ["Entry 1 changed places with entry 3, to have the bye."]


@pytest.mark.parametrize("kind", [DrawKind.BLIND, DrawKind.BYES])
def test_entries_kept_apart_do_not_meet_in_round_one(kind: DrawKind) -> None:
    drawn = place_entries_by_terms((1, 2, 3, 4), DrawTerms(kind), AvoidList(pairs=[(1, 2)]))
    assert {1, 2} not in [set(drawn.places[at : at + 2]) for at in (0, 2)]


def test_separation_moves_no_seed() -> None:
    # By rank alone, entry 1 would meet entry 4 in the first round.
    order, apart = (1, 2, 3, 4), AvoidList(pairs=[(1, 4)])
    by_rank = place_entries_by_terms(order, DrawTerms(DrawKind.SEEDED, order))
    assert {1, 4} in [set(by_rank.places[at : at + 2]) for at in (0, 2)]
    moved = place_entries_by_terms(order, DrawTerms(DrawKind.SEEDED, (1, 2)), apart)
    assert {1, 4} not in [set(moved.places[at : at + 2]) for at in (0, 2)]
    assert [moved.places.index(seed) for seed in (1, 2)] == [by_rank.places.index(seed) for seed in (1, 2)]
    assert len(moved.moves) == 1
    assert place_entries_by_terms(order, DrawTerms(DrawKind.SEEDED, order), apart).places == by_rank.places
