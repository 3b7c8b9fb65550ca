"""Test the developer tools for mutation tests, and the measurements of `make measure`."""

from __future__ import annotations

import ast
import doctest
import itertools
from pathlib import Path
from typing import Any

import pytest

import tests.devtools.mutants.folder
from config.environment import BASE_DIR
from tests.devtools import measure
from tests.devtools.mutants.__main__ import sample
from tests.devtools.mutants.folder import Folder, folders, plain

DECORATED = '''
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache

@lru_cache(maxsize=2)
def doubled(number: int) -> int:
    return 2 * number

@contextmanager
def counted(kept: list[int]):
    kept.append(1)
    yield kept

@dataclass(frozen=True, slots=True)
class Score:
    game: int
    boxes: int = 0

    @property
    def total(self) -> int:
        """Game and boxes."""
        return self.game + self.boxes

    @classmethod
    def of(cls, game: int) -> "Score":
        return cls(game)

class Lazy:
    @cached_property
    def once(self) -> list[int]:
        return [1]'''


def test_examples_in_the_docstrings_hold() -> None:
    found = doctest.testmod(tests.devtools.mutants.folder)
    assert found.attempted == 1 and found.failed == 0


def test_without_decorators_everything_does_the_same() -> None:
    there: dict[str, Any] = {"__name__": __name__}
    exec(plain(DECORATED), there)
    assert there["doubled"](4) == 8 and there["doubled"].cache_info().misses == 1
    with there["counted"]([]) as kept:
        assert kept == [1]
    assert there["Score"](100, 25).total == 125 and there["Score"].of(7) == there["Score"](7)
    lazy = there["Lazy"]()
    assert lazy.once is lazy.once


def test_only_what_mutmut_knows_keeps_its_decorator() -> None:
    lines = plain(DECORATED).splitlines()
    before = [line.strip() for line, after in itertools.pairwise(lines) if after.lstrip().startswith("def ")]
    assert {line for line in before if line.startswith("@")} == {"@classmethod"}


@pytest.mark.parametrize("folder", folders().values(), ids=lambda folder: folder.name)
def test_a_folder_names_code_and_tests_that_are_there(folder: Folder) -> None:
    for pattern in (*folder.code, *folder.left_out):
        assert list(BASE_DIR.glob(pattern)), pattern
    assert folder.files() and all((BASE_DIR / path).exists() for path in folder.tests)


def test_the_same_mutants_are_chosen_every_time() -> None:
    names = [f"pool.make_pool__mutmut_{number}" for number in range(2_000)]
    chosen = sample(names, 0.2, seed=1)
    assert sample(reversed(names), 0.2, seed=1) == chosen
    assert 300 < len(chosen) < 500 and sample(names, 0.2, seed=2) != chosen
    assert sample(names, 1.0, seed=1) == sorted(names)


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
