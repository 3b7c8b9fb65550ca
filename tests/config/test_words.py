"""How the program talks: every text can be translated, sentences are whole, and retired phrases stay away."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.config.templates import BLOCK, GETTEXT, TRANSLATE

ROOT = Path(__file__).parents[2]
RETIRED = (
    r"\bto agree to\b",
    r"when cards are final",
    r"\bwhat waits\b",
    r"\bnothing waits\b",
    r"\bposted last\b",
    r"second chance for who\b",
    r"\bwho moves up\b",
    r"prizes are rounded down to whole",
    r"^until %\(",
    r"\bpaid out: .*\bfees\b",
    r"of them in the pool",
    r"\bgenuine\?",
    r"comes to a decision",
    r"leave the cards as they are",
    r"as if nobody had",
    r"^mine is right",
    r"^tick\b",
    r"\bnobody came late\b",
    r"needed when the draw",
    r"\bwait again\b",
    r"card is opened when",
    # one word for one thing
    r"\b(take|takes|taken|took|taking)( \S+){0,3} back\b",
    r"\bseatings?\b",
    r"\bplacings\b",
    r"\bwalk-over",
    r"\bgoes out\b|\bwent out of the event\b|\bwho is out\b",
    r"\bdid not come\b",
    r"\ba matter\b",
    r"\bis level\b|\bare level\b|^level\b",
    r"\bis held\b|\bheld already\b",
    r"\bwhoever\b",
    r"\barrived\b",
    r"\be-mails?\b",
    r"\b(to|and|or) type\b|^type\b(?! the score again)|\btyped\b",
    # sentences that sound translated
    r"\ball the same\b",
    r"\bmeanwhile\b",
    r"\bonce more\b",
    r"\bas it stands\b",
    r"\bat the foot\b",
    r"\bsay (why|how|first|whom|who|what|which|for)\b",
    r"\bwrite down\b",
    r"^who (is|has|waits|wait|loses|comes|plays)\b(?!.*\?$)",
    r"\bsomebody (comes|goes|has left|left)\b",
    r"\botherwise than\b",
    r"\bin the record\b",
    r"\blook who\b|\blook how\b",
    r"\bfor good\b",
    r"\bask(s|ed|ing)? for a partner\b",
    r"\btaken apart\b",
    r"\bticks?\b|\bticked\b",
    r"\bsealed anew\b",
    r"\bany more\b",
    r"\bhand(ed)? back\b",
    r"^who left\b",
    r"\bscore keeper\b",
    r"\bmoney (?:in hand|counts to)\b",
    r"\btake in the (?:list|bank)",
    r"\bwhat each player comes to\b",
    # American English
    r"\b(colour|honour|favour|behaviour|offence|penalis|organis|recognis|misspelt|learnt)\w*",
)
REFUSALS = {"Conflict", "DomainError", "NeedsReason", "NotAllowed", "NotFound", "StoreAway", "TooLarge"}
SAME_NAME = {"gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext"}
"""`makemessages` finds a text by the name of the function; another name than these and `_` hides it."""

Text = tuple[str, int, str]

GAME = (
    ("scoring/rules/irregularities/play.py", "A discard that was taken and given back"),
    ("scoring/rules/rulings/policies.py", "taken back into the hand"),
    ("scoring/rules/rulings/policies.py", "is held to"),
    ("scoring/rules/variants/metzker/variant.py", "the points are level"),
    ("pairing/draws/cases/standings.py", "Say who won"),
)
"""What is done with playing cards and rules, in the words of the rule books; and a fault in a file for programs."""


@cache
def _modules() -> list[tuple[str, ast.Module]]:
    return list(_read())


def _read() -> Iterator[tuple[str, ast.Module]]:
    for app in ("config", "tournament", "pairing", "scoring"):
        for path in sorted((ROOT / app).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if "/migrations/" not in name and "/management/" not in name:
                yield name, ast.parse(path.read_text())


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


@cache
def texts_in_python() -> list[Text]:
    """What stands in gettext calls, and the sentences of refusals."""
    found: list[Text] = []
    for name, module in _modules():
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and (_called(node) in GETTEXT or _called(node) in REFUSALS):
                found += [
                    (name, node.lineno, part.value)
                    for part in (node.args[1:] if _called(node) in REFUSALS else node.args)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                ]
    return found


PLAIN = {"templates/components/live_attrs.html", "templates/tournament/core/styleguide/console.html"}
"""Attributes for a script, and made-up people for staff who build pages."""


def _templates() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "templates").rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in {".html", ".txt"} and name not in PLAIN:
            yield name, path.read_text()


@cache
def texts_in_templates() -> list[Text]:
    found: list[Text] = []
    for name, source in _templates():
        for match in TRANSLATE.finditer(source):
            text = match["one"] or match["other"] or match["short"] or ""
            found.append((name, source[: match.start()].count("\n") + 1, text))
        for match in BLOCK.finditer(source):
            for form in re.split(r"\{%\s*plural\s*%\}", match[1]):
                found.append((name, source[: match.start()].count("\n") + 1, " ".join(form.split())))
    return found


@pytest.mark.parametrize("phrase", RETIRED)
def test_no_retired_phrase_comes_back(phrase: str) -> None:
    wanted = re.compile(phrase, re.IGNORECASE)
    found = [f"{name}:{line} {text}" for name, line, text in (*texts_in_python(), *texts_in_templates())
             if wanted.search(text) and not any(name == where and own in text for where, own in GAME)]  # fmt: skip
    assert found == []


PLACES_OF_A_WORD = {
    "payment": "config/navigation.py pairing/results scoring/posting tournament/models tournament/money"
    " tournament/purse tournament/registration tournament/setup scoring/seals scoring/today",
    "refund": "pairing/results pairing/blind_draw scoring/seals scoring/today tournament/models"
    " tournament/money tournament/purse tournament/registration tournament/setup"
    " tournament/spreadsheets",
    "drawer": "config/navigation.py scoring/rules scoring/today tournament/money",
    "receipt": "scoring/prints tournament/money tournament/registration",
    "ledger": "config/navigation.py scoring/seals tournament/money",
    "payout": "pairing/results scoring/prints scoring/seals scoring/today scoring/verification"
    " tournament/money tournament/purse tournament/setup",
    "sponsor": "tournament/money tournament/purse",
    "knock": "scoring/disputes scoring/rules scoring/today",
    "up card": "scoring/cards scoring/disputes scoring/prints scoring/rules scoring/seals scoring/today",
    "deadwood": "scoring/rules",
    "bye": "pairing/blind_draw pairing/results pairing/stages pairing/desk pairing/draws scoring/rules"
    " scoring/today tournament/setup tournament/templatetags",
    "dispute": "scoring/cards scoring/disputes scoring/rules scoring/rulesheets scoring/today tournament/money",
    "seed": "pairing/blind_draw pairing/desk scoring/today",
}
"""The rooms whose pages use a word of one trade. Add a room where a new sentence needs the word there."""


def _room_of(name: str) -> str:
    parts = name.removeprefix("templates/").split("/")
    return "/".join(parts[:2])


def _misplaced(texts: Iterable[Text]) -> list[str]:
    return [
        f"{name}:{line} “{text}” uses “{word}”, which is no word of {_room_of(name)}"
        for word, rooms in PLACES_OF_A_WORD.items()
        for name, line, text in texts
        if re.search(rf"\b{word}s?\b", text, re.IGNORECASE) and _room_of(name) not in rooms.split()
    ]


def test_every_page_uses_the_words_of_its_own_trade() -> None:
    """A sentence that was replaced everywhere at once ends up on pages where nobody expects it."""
    assert _misplaced([*texts_in_python(), *texts_in_templates()]) == []


def test_a_payment_on_a_score_card_is_noticed() -> None:
    assert _misplaced([("templates/scoring/cards/player/card_panel.html", 86, "Correct this payment")])
    assert not _misplaced([("templates/tournament/money/money.html", 54, "Correct this payment")])


def test_the_phrases_are_the_ones_they_should_be() -> None:
    """A pattern that was weakened shows: each still finds the words that it was written for."""
    for text in (
        "What waits for me",
        "Take the draw back",
        "Is this card genuine?",
        "Who is unbeaten plays on",
        "E-mail",
    ):
        assert any(re.search(phrase, text, re.IGNORECASE) for phrase in RETIRED), text


@pytest.mark.parametrize("name", ["Record result", "Needs attention", "Who keeps score?", "Score cards"])
def test_good_words_are_left_alone(name: str) -> None:
    assert not any(re.search(phrase, name, re.IGNORECASE) for phrase in RETIRED)


def test_a_text_is_never_hidden_from_makemessages() -> None:
    hidden = [
        f"{name}:{node.lineno} {part.name} as {part.asname}"
        for name, module in _modules()
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        for part in node.names
        if part.name in SAME_NAME and part.asname not in (None, "_")
    ]
    assert hidden == []


def test_every_refusal_can_be_translated() -> None:
    """The sentence is a call of gettext, or a name that holds one; never a bare text."""
    bare = [
        f"{name}:{node.lineno} {ast.unparse(node.args[1])}"
        for name, module in _modules()
        if not name.startswith(PURE)
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and _called(node) in REFUSALS | {"require_reason"} and len(node.args) > 1
        if _is_bare(node.args[1], function)
    ]
    assert bare == []


def _is_bare(said: ast.expr, function: ast.FunctionDef) -> bool:
    """A text without gettext, written in the call or kept in a name of the same function."""
    if isinstance(said, ast.IfExp):
        return _is_bare(said.body, function) or _is_bare(said.orelse, function)
    if isinstance(said, ast.Name):
        assigned = (node for node in ast.walk(function) if isinstance(node, ast.Assign))
        kept = (node.value for node in assigned if any(ast.unparse(at) == said.id for at in node.targets))
        return any(_is_bare(value, function) for value in kept if not isinstance(value, ast.Name))
    return isinstance(said, ast.JoinedStr | ast.Constant)


PURE = ("scoring/rules/", "pairing/draws/", "tournament/purse/", "tournament/cases.py", "tournament/spreadsheets/")
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
SILENT = re.compile(
    r"\{%\s*comment\b.*?\{%\s*endcomment\s*%\}|<(script|style|code|kbd|pre)\b.*?</\1>"
    r"|\{%\s*block (\w*class|audience\w*)\s*%\}.*?\{%\s*endblock\b.*?%\}",
    re.DOTALL,
)
SPOKEN = re.compile(r"\b(aria-label|aria-description|title|placeholder|alt|data-confirm)=\"([^\"]*)\"")
WORDS = re.compile(r"[A-Za-z]{2,}")
NAMES = {"CSV", "XLSX", "PDF", "JSON", "DEMO", "SHA", "QR", "iPhone", "Android", "html", "doctype"}
"""What is the same in every language."""


def _untranslated(source: str) -> Iterator[str]:
    plain = BLOCK.sub(" ", SILENT.sub(" ", source))
    for name, value in SPOKEN.findall(plain):
        if set(WORDS.findall(TAGS.sub(" ", value))) - NAMES:
            yield f"{name}={value}"
    for piece in re.split(r"<[^>]*>", TAGS.sub(" ", plain)):
        if set(WORDS.findall(re.sub(r"&#?\w+;", " ", piece))) - NAMES:
            yield " ".join(piece.split())


def test_every_text_of_a_template_can_be_translated() -> None:
    assert [f"{name}: {text}" for name, source in _templates() for text in _untranslated(source)] == []
