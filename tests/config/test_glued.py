"""No sentence is glued from pieces: another language has another order of words, so each sentence is one text."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.config import test_words as words

BLOCKS = re.compile(
    "address|article|aside|blockquote|body|br|button|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|"
    "form|"
    "h[1-6]|head|header|hr|html|input|label|legend|li|main|nav|ol|option|p|pre|section|select|summary|svg|table|"
    "tbody|td|text|textarea|tfoot|th|thead|title|tr|ul"
)
"""Elements at which a sentence ends."""

SHORT = {
    "templates/components/match_box.html": {"you"},
    "templates/components/name.html": {"with {{ partner }}", "you"},
    "templates/components/signature.html": {"by signing code", "on: {{ device }}"},
    "templates/scoring/disputes/hands/hand.html": {"laid off"},
    "templates/scoring/scorekeeping/whist_table.html": {"tricks"},
    "templates/tournament/money/close.html": {"not closed yet", "signed by {{ one }} and {{ other }}"},
    "templates/tournament/money/expenses.html": {"reversed"},
}
"""Labels beside a name or a value, each in a line, a badge or small print of its own."""

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
"""Tags that write nothing themselves."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`kind`: a `text` of the catalog, a `value`, or an `end` of what could be one sentence."""

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
    """Texts that go on after a value or another text, or stop in the middle of a sentence before one."""
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
        f"{name}: {text}"
        for name, source in words._templates()
        for text in glued(source)
        if text not in SHORT.get(name, ())
    ]
    assert found == []


def test_every_exception_is_still_needed() -> None:
    found = {name: set(glued(source)) for name, source in words._templates() if name in SHORT}
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
    """A text with a blank or a comma at its edge is a half that code puts to another half."""
    texts = (*words.texts_in_python(), *words.texts_in_templates())
    halves = {name for name, _line, text in texts if text != text.strip() or re.match(r"[,;:)]", text)}
    assert halves == set()


CODES = {
    "pairing/draws/forecast/forecast.py",
    "pairing/draws/forecast/simulation.py",
    "pairing/draws/knockout/bracket.py",
    "pairing/draws/stages/play_off.py",
    "scoring/rules/evidence/sealing.py",
    "scoring/rules/irregularities/matter.py",
    "tournament/cases.py",
    "tournament/purse/journal.py",
}
"""Seeds, names of places in a file, the rule that an answer cites, faults in a file for programs, and what accounting
programs read."""


def test_no_pure_module_puts_a_sentence_together_by_itself() -> None:
    """An f-string with words in it is English in every language, or half of a sentence."""
    found = {
        name
        for name, module in words._modules()
        if name.startswith(words.PURE)
        for node in _walk_but_faults(module)
        if isinstance(node, ast.JoinedStr) and re.search(r"[a-z]{2,} | [a-z]{2,}", _plain(node))
    }
    assert found == CODES


def _walk_but_faults(node: ast.AST) -> Iterator[ast.AST]:
    """Without what is raised for programmers: `ValueError(f"…")`."""
    yield node
    for child in ast.iter_child_nodes(node):
        raised = child.exc if isinstance(child, ast.Raise) else None
        if not (raised is not None and hasattr(builtins, words._called(raised) or "-")):
            yield from _walk_but_faults(child)


def _plain(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
