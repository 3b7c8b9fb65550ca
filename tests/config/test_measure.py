"""The figures of the code are counted right: on small examples, and once on the tree."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.devtools import measure


def test_a_file_is_known_by_the_name_it_has_now() -> None:
    today = {"scoring/rules/sheet/tally.py": "scoring/rules/sheet/tally.py"}
    rows = [["R096", "scoring/rules/tally.py", "scoring/rules/sheet/tally.py"], ["M", "README.md"]]
    measure._go_back(today, rows)
    assert today == {"scoring/rules/tally.py": "scoring/rules/sheet/tally.py"}


def test_a_room_has_one_name_in_the_program_its_templates_and_its_tests() -> None:
    names = ("pairing/draws/knockout/x.py", "tests/pairing/draws/knockout/test_x.py")
    assert {measure._room(Path(name)) for name in names} == {("pairing", "draws", "knockout")}
    names = ("pairing/desk/services/x.py", "templates/pairing/desk/x.html", "tests/pairing/desk/test_x.py")
    assert {measure._room(Path(name)) for name in names} == {("pairing", "desk")}


def test_names_are_counted_where_they_stand_twice() -> None:
    one, other = ast.parse("class Standing: ...\ndef _own(): ..."), ast.parse("class Standing: ...\ndef _own(): ...")
    places = {
        Path("pairing/draws/a.py"): one,
        Path("scoring/rules/b.py"): other,
        Path("scoring/cards/console/c.py"): other,
    }
    assert measure.twice(places) == ["Standing"]


def test_no_two_things_have_one_name() -> None:
    assert measure.twice(measure.read_program()) == []


def test_asking_for_the_kind_of_an_event_is_seen() -> None:
    asked = "if has_desk(event) or plays_bracket(event) or kind_of(event) is KIND:\ndef has_desk(event): ..."
    assert len(list(measure.KIND_ASKED.finditer(asked))) == 3
    asked = "isinstance(stage, PoolStage) and table_terms(event) is None and plan.is_knockout"
    assert len(list(measure.KIND_ASKED.finditer(asked))) == 3


def test_nothing_of_the_program_imports_in_a_circle() -> None:
    assert measure._in_cycles() == 0
