"""Check that docs/walk-throughs.md quotes the texts on the screens, and states the limits that tests enforce."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.config.templates import BLOCK, GETTEXT, TRANSLATE
from tests.journeys.person import AN_EVENING, FINISH_AND_PAY, FROM_A_LIST_TO_THE_DRAW, OPEN_AN_EVENT, TWO_ROUNDS, Most

ROOT: Final = Path(__file__).resolve().parents[2]
GUIDE: Final = (ROOT / "docs" / "walk-throughs.md").read_text()
BOLD: Final = sorted({" ".join(words.split()) for words in re.findall(r"\*\*(.+?)\*\*", GUIDE, re.DOTALL)})
OWN: Final = {"You typed a card wrong.", "A player has to leave."}
"""Bold beginnings of paragraphs in the guide. These words are not on a screen."""
VALUE: Final = re.compile(r"%\(\w+\)[sd]|\{\{.*?\}\}")
FIGURES: Final = re.compile(r"^\| \[(\d)\. .*\| (\d+) \| (\d+) \|$", re.MULTILINE)
WALKS: Final = (OPEN_AN_EVENT, FROM_A_LIST_TO_THE_DRAW, TWO_ROUNDS, FINISH_AND_PAY, AN_EVENING)


@cache
def said_on_screens() -> tuple[set[str], list[re.Pattern[str]]]:
    """Return all translatable texts of the program, and patterns for those texts that contain values."""
    texts = set(_in_templates()) | set(_in_python())
    patterns = [
        re.compile(".+".join(map(re.escape, VALUE.split(text))))
        for text in texts
        if VALUE.search(text) and re.search(r"[A-Za-z]{3}", VALUE.sub("", text))
    ]
    return texts, patterns


def _in_templates() -> list[str]:
    found = []
    for path in (ROOT / "templates").rglob("*.html"):
        source = path.read_text()
        found += [match["one"] or match["other"] or match["short"] or "" for match in TRANSLATE.finditer(source)]
        for match in BLOCK.finditer(source):
            found += [" ".join(form.split()) for form in re.split(r"\{%\s*plural\s*%\}", match[1])]
    return found


def _in_python() -> list[str]:
    found = []
    for app in ("config", "tournament", "pairing", "scoring"):
        for path in (ROOT / app).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in GETTEXT:
                    said = [part.value for part in node.args if isinstance(part, ast.Constant)]
                    found += [text for text in said if isinstance(text, str)]
    return found


@pytest.mark.parametrize("words", [words for words in BOLD if words not in OWN])
def test_what_is_bold_is_on_a_screen(words: str) -> None:
    texts, patterns = said_on_screens()
    assert words in texts or any(pattern.fullmatch(words) for pattern in patterns), words


def test_what_is_on_no_screen_is_not_taken_for_it() -> None:
    texts, patterns = said_on_screens()
    for words in ("Push the draw", "Draw now, please"):
        assert words not in texts and not any(pattern.fullmatch(words) for pattern in patterns), words


def test_the_figures_are_those_that_the_walks_are_held_to() -> None:
    told = {int(walk): Most(int(clicks), int(keys)) for walk, clicks, keys in FIGURES.findall(GUIDE)}
    assert told == dict(enumerate(WALKS, start=1))
