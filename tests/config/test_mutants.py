"""What `make mutants` stands on: no decorated function is left out, and what pyproject.toml names is there."""

from __future__ import annotations

import doctest
import itertools
from typing import Any

import pytest

import tests.devtools.mutants.folder
from config.environment import BASE_DIR
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
