"""Check that docs/tour.md names existing code, and that docstrings and docs consist of plain sentences."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from config.environment import BASE_DIR
from tests.config.helpers import modules_of
from tests.devtools.measure import RIDDLE

TOUR: Final = (Path(__file__).resolve().parents[2] / "docs" / "tour.md").read_text()
STOP: Final = re.compile(r"^\d+\. `([\w.]+)`", re.MULTILINE)
WALKS: Final = {part.splitlines()[0]: STOP.findall(part) for part in TOUR.split("\n## ")[1:]}


@pytest.mark.parametrize("name", [name for stops in WALKS.values() for name in stops])
def test_each_stop_is_there(name: str) -> None:
    module, _dot, last = name.rpartition(".")
    found = import_module(module)
    assert hasattr(found, last) or import_module(name)


def test_each_walk_is_short() -> None:
    assert list(WALKS) == ["One posted hand", "One fee"]
    assert 10 < len(WALKS["One posted hand"]) <= 14
    assert 10 < len(WALKS["One fee"]) < 20


PACKAGES: Final = ("config", "laptop", "tournament", "pairing", "scoring")
TESTED_ELSEWHERE: Final = re.compile(r"(draws|rules|purse|spreadsheets)\.")
"""Finds modules in pure folders. Other tests run the examples in the docstrings of these modules."""


def modules_with_examples() -> list[str]:
    paths = [path for package in PACKAGES for path in (BASE_DIR / package).rglob("*.py") if ">>>" in path.read_text()]
    names = [".".join(path.relative_to(BASE_DIR).with_suffix("").parts).removesuffix(".__init__") for path in paths]
    return sorted(name for name in names if not TESTED_ELSEWHERE.search(f"{name}."))


@pytest.mark.parametrize("name", modules_with_examples())
def test_every_example_is_right(name: str) -> None:
    assert doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS).failed == 0


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring, including those below fields and constants."""
    for statement in (each for name in BLOCKS for each in getattr(tree, name, ())):
        value = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield statement.lineno, value.value.strip()
        yield from docstrings(statement)


BLOCKS: Final = ("body", "handlers", "orelse", "finalbody", "cases")
"""The attributes of a syntax tree's nodes that contain statements."""


def riddles_in(tree: ast.Module) -> list[tuple[int, str]]:
    return [(line, text.splitlines()[0]) for line, text in docstrings(tree) if RIDDLE.match(text)]


def test_every_docstring_begins_with_its_subject_or_a_verb() -> None:
    trees = modules_of(*PACKAGES, "tests")
    assert [f"{path}:{line} {text}" for path, tree in trees.items() for line, text in riddles_in(tree)] == []


def test_no_module_has_an_empty_docstring() -> None:
    trees = modules_of(*PACKAGES)
    assert [path for path, tree in trees.items() if any(not text for _line, text in docstrings(tree))] == []


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a page without headings, lists, tables, quotes, and code."""
    text = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", text):
        if re.match(r"[A-Z]", paragraph):
            yield " ".join(paragraph.split())


def test_no_paragraph_of_the_docs_begins_like_a_riddle() -> None:
    pages = [BASE_DIR / "README.md", *sorted(Path(BASE_DIR / "docs").rglob("*.md"))]
    noun = re.compile(r"(?:Who|Whom|Whose|What|Which|Of|None|Those)\b(?![^.]*\?)")
    found = [
        f"{page.relative_to(BASE_DIR)}: {paragraph[:80]}"
        for page in pages
        for paragraph in paragraphs(page.read_text(encoding="utf-8"))
        if noun.match(paragraph)
    ]
    assert found == []


def test_a_riddle_is_found_and_a_sentence_is_not() -> None:
    source = '"""Of the cards the last."""\nSIZE = 1\n"""Bytes of a form."""\ndef close():\n    """Close the day."""\n'
    assert riddles_in(ast.parse(source)) == [(1, "Of the cards the last.")]
