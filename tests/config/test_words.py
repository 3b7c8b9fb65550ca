"""Test that every text can be translated, that sentences are complete, and that retired phrases do not return."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.config.helpers import APPS, called_name, modules_of
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
REFUSALS = {"Conflict", "DomainError", "ReasonRequired", "NotAllowed", "NotFound", "StoreAway", "TooLarge"}
SAME_NAME = {"gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext"}
"""Functions that may be renamed only to `_`, because `makemessages` searches for calls with these names."""

Text = tuple[str, int, str]

GAME = (
    ("scoring/rules/irregularities/play.py", "A discard that was taken and given back"),
    ("scoring/rules/rulings/policies.py", "taken back into the hand"),
    ("scoring/rules/rulings/policies.py", "is held to"),
    ("scoring/rules/variants/metzker/variant.py", "the points are level"),
    ("pairing/draws/cases/standings.py", "Say who won"),
)
"""Texts in which a retired phrase is allowed, each with its file.

They are terms from the rule books of card games, and an error message for programs.
"""


def _modules() -> list[tuple[str, ast.Module]]:
    return [(name, tree) for name, tree in modules_of("config", *APPS).items() if "/management/" not in name]


@cache
def texts_in_python() -> list[Text]:
    """Return the texts in gettext calls and in refusals, each with its file and line."""
    found: list[Text] = []
    for name, module in _modules():
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and (called_name(node) in GETTEXT or called_name(node) in REFUSALS):
                found += [
                    (name, node.lineno, part.value)
                    for part in (node.args[1:] if called_name(node) in REFUSALS else node.args)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                ]
    return found


PLAIN = {"templates/components/live_attrs.html", "templates/tournament/core/styleguide/console.html"}
"""Templates without texts to translate: attributes for a script, and made-up people in the style guide."""


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
    " tournament/purse tournament/registration tournament/setup scoring/seals scoring/today scoring/verification",
    "refund": "pairing/results pairing/blind_draw scoring/seals scoring/today scoring/verification tournament/models"
    " tournament/money tournament/purse tournament/registration tournament/setup"
    " tournament/spreadsheets",
    "drawer": "config/navigation.py scoring/rules scoring/today tournament/money",
    "receipt": "scoring/prints tournament/money tournament/registration tournament/second_laptop",
    "ledger": "config/navigation.py scoring/seals scoring/verification tournament/money tournament/second_laptop",
    "payout": "pairing/results scoring/prints scoring/seals scoring/today scoring/verification"
    " tournament/money tournament/purse tournament/setup",
    "sponsor": "tournament/money tournament/purse",
    "knock": "scoring/disputes scoring/rules scoring/today",
    "up card": "scoring/cards scoring/disputes scoring/prints scoring/rules scoring/seals scoring/today"
    " scoring/verification",
    "deadwood": "scoring/rules",
    "bye": "pairing/blind_draw pairing/results pairing/stages pairing/desk pairing/draws scoring/rules"
    " scoring/today tournament/setup tournament/templatetags",
    "dispute": "scoring/cards scoring/disputes scoring/rules scoring/rulesheets scoring/today tournament/money",
    "seed": "pairing/blind_draw pairing/desk scoring/today",
}
"""The rooms (packages) whose texts may use each word. If a new sentence needs the word in another room, add it here."""
WORDS_OF_THE_LOG = "tournament/core/words.py"
"""A file that may use all these words, because it has the texts for every action in the log."""


def _room_of(name: str) -> str:
    parts = name.removeprefix("templates/").split("/")
    return "/".join(parts[:2])


def _misplaced(texts: Iterable[Text]) -> list[str]:
    return [
        f"{name}:{line} “{text}” uses “{word}”, which is no word of {_room_of(name)}"
        for word, rooms in PLACES_OF_A_WORD.items()
        for name, line, text in texts
        if name != WORDS_OF_THE_LOG
        and re.search(rf"\b{word}s?\b", text, re.IGNORECASE)
        and _room_of(name) not in rooms.split()
    ]


def test_every_page_uses_the_words_of_its_own_trade() -> None:
    assert _misplaced([*texts_in_python(), *texts_in_templates()]) == []


def test_a_payment_on_a_score_card_is_noticed() -> None:
    assert _misplaced([("templates/scoring/cards/player/card_panel.html", 86, "Correct this payment")])
    assert not _misplaced([("templates/tournament/money/money.html", 54, "Correct this payment")])


def test_the_phrases_are_the_ones_they_should_be() -> None:
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
    bare = [
        f"{name}:{node.lineno} {ast.unparse(node.args[1])}"
        for name, module in _modules()
        if not name.startswith(PURE)
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and called_name(node) in REFUSALS | {"require_reason"} and len(node.args) > 1
        if _is_bare(node.args[1], function)
    ]
    assert bare == []


def _is_bare(said: ast.expr, function: ast.FunctionDef) -> bool:
    """Return whether the expression is a string that is not marked for translation.

    If the expression is a variable, check the values that the function assigns to the variable.
    """
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
"""Text that is the same in every language."""


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


BLOCKS = re.compile(
    "address|article|aside|blockquote|body|br|button|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|"
    "form|"
    "h[1-6]|head|header|hr|html|input|label|legend|li|main|nav|ol|option|p|pre|section|select|summary|svg|table|"
    "tbody|td|text|textarea|tfoot|th|thead|title|tr|ul"
)

SHORT = {
    "templates/components/match_box.html": {"you"},
    "templates/components/name.html": {"with {{ partner }}", "you"},
    "templates/components/signature.html": {"by signing code", "on: {{ device }}"},
    "templates/scoring/disputes/hands/hand.html": {"laid off"},
    "templates/scoring/scorekeeping/whist_table.html": {"tricks"},
    "templates/tournament/money/close.html": {"not closed yet", "signed by {{ one }} and {{ other }}"},
    "templates/tournament/money/expenses.html": {"reversed"},
}
"""Texts that need not be whole sentences, keyed by template. Each is a label beside a name or a value."""

OPEN_END = re.compile(r"\b(of|by|to|and|with|from|since|until|at|is|are|the|a|or)$|,$")
TOKENS = re.compile(
    r"""(?P<comment>\{%\s*comment.*?endcomment\s*%\}|\{\#.*?\#\})"""
    r"""|\{%\s*blocktranslate\b(?P<terms>[^%]*)%\}(?P<block>.*?)\{%\s*endblocktranslate\s*%\}"""
    r"""|\{%\s*translate\s+(?:"(?P<one>[^"]*)"|'(?P<other>[^']*)')(?P<kept>[^%]*)%\}"""
    r"""|\{%-?\s*(?P<tag>\w+)(?P<arguments>.*?)%\}"""
    r"""|(?P<value>\{\{.*?\}\})"""
    r"""|</?(?P<element>[a-zA-Z][a-zA-Z0-9]*)(?P<attributes>[^>]*)>"""
    r"""|(?P<plain>[^{<]+|.)""",
    re.DOTALL,
)
WAYS = {"if", "endif", "for", "endfor", "with", "endwith", "load", "url", "csrf_token", "empty", "extends"}
"""Template tags that insert no text into the page."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a template: a translatable `text`, a `value`, or the `end` of a sentence."""

    kind: str
    words: str = ""


END = Piece("end")


def pieces(source: str) -> Iterator[Piece]:
    for found in TOKENS.finditer(source):
        if found["comment"]:
            continue
        if found["block"] is not None:
            if " asvar " not in f"{found['terms']} ":
                yield Piece("text", " ".join(re.split(r"\{%\s*plural", found["block"])[0].split()))
        elif found["one"] is not None or found["other"] is not None:
            if not re.search(r"\bas \w", found["kept"]):
                yield Piece("text", found["one"] or found["other"] or "")
        elif found["tag"]:
            yield from _of_tag(found["tag"], found["arguments"])
        elif found["value"]:
            yield Piece("value", found["value"])
        elif found["element"]:
            if BLOCKS.fullmatch(found["element"].lower()) or "visually-hidden" in found["attributes"]:
                yield END
        elif found["plain"].strip():
            yield END


def _of_tag(tag: str, arguments: str) -> Iterator[Piece]:
    if tag in ("else", "elif", "block", "endblock", "endelement", "slot", "endslot"):
        yield END
    elif tag not in WAYS and not re.search(r"\bas \w+\s*$", arguments):
        yield Piece("value", f"{tag}{arguments}".strip())


def glued(source: str) -> Iterator[str]:
    """Yield texts that are only part of a sentence.

    Such a text continues a value or another text, or it stops in the middle of a sentence.
    """
    around = [END, *pieces(source), END]
    for before, piece, after in zip(around, around[1:], around[2:], strict=False):
        if piece.kind != "text":
            continue
        said = re.sub(r"<[^>]*>", "", piece.words).strip()
        goes_on = before.kind == "value" or (before.kind == "text" and not re.search(r"[.!?:]$", before.words))
        if (re.match(r"[a-z]", said) and goes_on) or (OPEN_END.search(said) and after.kind != "end"):
            yield piece.words


def test_no_template_glues_a_sentence() -> None:
    found = [
        f"{name}: {text}" for name, source in _templates() for text in glued(source) if text not in SHORT.get(name, ())
    ]
    assert found == []


def test_every_exception_is_still_needed() -> None:
    found = {name: set(glued(source)) for name, source in _templates() if name in SHORT}
    assert {name: texts - found.get(name, set()) for name, texts in SHORT.items()} == {name: set() for name in SHORT}


@pytest.mark.parametrize(
    "source",
    [
        '<p>{% translate "Rulings until" %} {{ at }}</p>',
        "<p>{{ name }} {% blocktranslate %}takes the bye of {{ other }}.{% endblocktranslate %}</p>",
        '<p>{% translate "Fee" %} <b>{% translate "for a pair" %}</b></p>',
    ],
)
def test_a_glued_sentence_is_found(source: str) -> None:
    assert list(glued(source)) != []


@pytest.mark.parametrize(
    "source",
    [
        '<p>{% translate "Saved." %} {% translate "Look at it." %}</p>',
        '<dt>{% translate "Rulings until" %}</dt><dd>{{ at }}</dd>',
        '<p>{{ name }} · {% translate "not checked in" %}</p>',
    ],
)
def test_whole_texts_beside_each_other_are_left_alone(source: str) -> None:
    assert list(glued(source)) == []


def test_no_text_begins_or_ends_in_the_middle() -> None:
    texts = (*texts_in_python(), *texts_in_templates())
    halves = {name for name, _line, text in texts if text != text.strip() or re.match(r"[,;:)]", text)}
    assert halves == set()


CODES = {
    "pairing/draws/forecast/forecast.py",
    "pairing/draws/forecast/simulation.py",
    "pairing/draws/knockout/bracket.py",
    "pairing/draws/stages/play_off.py",
    "scoring/rules/evidence/sealing.py",
    "scoring/rules/irregularities/case.py",
    "tournament/cases.py",
    "tournament/purse/journal.py",
}
"""Modules that may have f-strings with words, because no user reads these strings as sentences.

They are seeds, places in a file, cited rules, and lines of accounting files.
"""


def test_no_pure_module_puts_a_sentence_together_by_itself() -> None:
    """An f-string with words would stay English in every language."""
    found = {
        name
        for name, module in _modules()
        if name.startswith(PURE)
        for node in _walk_but_faults(module)
        if isinstance(node, ast.JoinedStr) and re.search(r"[a-z]{2,} | [a-z]{2,}", _plain(node))
    }
    assert found == CODES


def _walk_but_faults(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a syntax tree, except errors for programmers such as `ValueError(f"…")`."""
    yield node
    for child in ast.iter_child_nodes(node):
        raised = child.exc if isinstance(child, ast.Raise) else None
        if not (raised is not None and hasattr(builtins, called_name(raised) or "-")):
            yield from _walk_but_faults(child)


def _plain(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
