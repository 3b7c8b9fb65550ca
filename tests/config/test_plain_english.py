"""Docstrings and docs are plain sentences that begin with their subject or with a verb."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from config.environment import BASE_DIR
from tests.devtools.measure import RIDDLE

PACKAGES: Final = ("config", "laptop", "tournament", "pairing", "scoring")


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring, also of those below fields and constants."""
    for node in ast.walk(ast.parse(source)):
        for statement in getattr(node, "body", ()) if not isinstance(node, ast.Lambda | ast.IfExp) else ():
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, value.value.strip()


def riddles_in(source: str) -> list[tuple[int, str]]:
    return [(line, text.splitlines()[0]) for line, text in docstrings(source) if RIDDLE.match(text)]


def test_every_docstring_begins_with_its_subject_or_a_verb() -> None:
    files = (path for package in PACKAGES for path in sorted((BASE_DIR / package).rglob("*.py")))
    found = [
        f"{path.relative_to(BASE_DIR)}:{line} {text}"
        for path in files
        if "migrations" not in path.parts
        for line, text in riddles_in(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_no_module_has_an_empty_docstring() -> None:
    files = (path for package in PACKAGES for path in (BASE_DIR / package).rglob("*.py"))
    empty = [path for path in files if any(not text for _line, text in docstrings(path.read_text(encoding="utf-8")))]
    assert [str(path.relative_to(BASE_DIR)) for path in empty] == []


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a page of the docs, without headings, lists, tables, quotes and code."""
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
    assert riddles_in(source) == [(1, "Of the cards the last.")]
