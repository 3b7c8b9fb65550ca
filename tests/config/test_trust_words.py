"""Check that docs/trust.md explains each word that promises something to players, such as “signed” or “genuine”.

The document must list every file whose texts contain such a word. For each word, it must name the tests that attack the
promise.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
GUIDE: Final = ROOT / "docs" / "trust.md"
WORDS: Final = (
    *("genuine", "verified", "signed", "sealed", "final", "posted", "drawn", "superseded", "altered"),
    *("certified", "tamper-proof", "authentic"),
)
WORD: Final = re.compile(rf"(?<![\w-])({'|'.join(WORDS)})(?![\w-])", re.IGNORECASE)
SHAPES: Final = (
    *("console", "public", "player", "api", "pages", "tags"),
    *("forms", "tables", "words", "pictures", "pdf"),
)
"""Names of the modules and folders in a room that contain texts for people."""
QUOTED: Final = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
TAG, VARIABLE, MARKUP = re.compile(r"{%.*?%}", re.DOTALL), re.compile(r"{{.*?}}", re.DOTALL), re.compile(r"<[^>]*>")


def said_in_template(text: str) -> Iterator[str]:
    """Yield the quoted texts in a template's tags, and the text between the tags."""
    text = re.sub(r"{#.*?#}|{% comment %}.*?{% endcomment %}", "", text, flags=re.DOTALL)
    for tag in TAG.findall(text):
        yield from (one or other for one, other in QUOTED.findall(tag) if is_prose(one or other))
    yield MARKUP.sub(" ", VARIABLE.sub(" ", TAG.sub(" ", text)))


def said_in_python(text: str) -> Iterator[str]:
    """Yield the string literals in Python source that people read."""
    nodes = list(ast.walk(ast.parse(text)))
    silent = {id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    for node in nodes:
        is_said = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent
        if is_said and is_prose(node.value):  # type: ignore[attr-defined]
            yield node.value  # type: ignore[attr-defined]


def is_prose(text: str) -> bool:
    return bool(text) and (" " in text.strip() or text[:1].isupper())


@functools.cache
def places() -> dict[str, set[str]]:
    """Return the words in each file that promise something, such as “signed” or “genuine”."""
    found: dict[str, set[str]] = {}
    files = [*ROOT.glob("templates/**/*.html"), *ROOT.glob("templates/**/*.txt"), *ROOT.glob("static/js/*.js")]
    files += [
        file
        for app in ("scoring", "pairing", "tournament")
        for one in (
            *(f"{app}/{place}/**/*.py" for place in ("models", "templatetags")),
            *(f"{app}/*/{shape}.py" for shape in SHAPES),
            *(f"{app}/*/{shape}/**/*.py" for shape in SHAPES),
            f"{app}/*/selectors/*words.py",
        )
        for file in ROOT.glob(one)
    ]
    for file in files:
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".py":
            said = said_in_python(text)
        elif file.suffix == ".js":
            said = iter(one or other for one, other in QUOTED.findall(text) if is_prose(one or other))
        else:
            said = said_in_template(text)
        words = {word.lower() for each in said for word in WORD.findall(each)}
        if words:
            found[file.relative_to(ROOT).as_posix()] = words
    return found


def listed() -> dict[str, set[str]]:
    """Return the words that docs/trust.md lists for each file.

    An example of a line is “- `templates/scoring/cards/public/card.html`: genuine, signed”.
    """
    rows = re.findall(r"^- `([^`]+)`: (.+)$", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {place: {word.strip() for word in words.split(",")} for place, words in rows}


def test_every_place_that_promises_something_is_listed() -> None:
    found, known = places(), listed()
    missing = [
        f"- `{place}`: {', '.join(sorted(words))}" for place, words in found.items() if known.get(place) != words
    ]
    assert not missing, "Say in docs/trust.md what these promise:\n" + "\n".join(sorted(missing))


def test_no_place_is_listed_that_says_nothing_of_it() -> None:
    assert sorted(listed().keys() - places().keys()) == []


@pytest.mark.parametrize("word", WORDS)
def test_every_word_in_use_has_its_promise_and_an_attack(word: str) -> None:
    if not any(word in said for said in places().values()):
        return
    text = GUIDE.read_text(encoding="utf-8")
    part = re.search(rf"^## {word}\b.*?(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL | re.IGNORECASE)
    assert part is not None, f"docs/trust.md has no part “{word.capitalize()}”"
    for heading in ("What it means.", "What is checked.", "What is not checked.", "Tests with attacks:"):
        assert f"**{heading}**" in part.group(), f"{word}: {heading}"


def test_every_attack_that_is_named_is_a_test() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", GUIDE.read_text(encoding="utf-8"))
    assert len(named) > 10
    for file, test in named:
        assert re.search(rf"def {test}\b", (ROOT / file).read_text(encoding="utf-8")), f"{file}::{test}"


def test_a_new_page_that_says_genuine_would_fail() -> None:
    page = '{% load i18n %}<p title="x">{% translate "Genuine." %}</p>{{ genuine }}'
    assert [word for said in said_in_template(page) for word in WORD.findall(said)] == ["Genuine"]
    assert list(said_in_python('"""Genuine."""\nkey = "genuine"\nsaid = f"{x} is genuine"\n')) == [" is genuine"]
