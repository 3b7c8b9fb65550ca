"""Every action that the log can contain has a text."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from config.environment import BASE_DIR
from tournament.core.words import LOG_VERB_WORDS, describe_log_verb, find_log_verbs
from tournament.purse.kinds import DESK_FORM_BY_KIND
from tournament.second_laptop.selectors import VERBS_BY_DECISION
from tournament.setup.public import CREDENTIAL_BY_SIGNAL

COMPOSED = {
    *(f"entrant.{kind}" for kind in ("withdrawn", "no-show", "disqualified")),
    *(f"staff.{what}-set" for what in CREDENTIAL_BY_SIGNAL.values()),
    *(form.verb for form in DESK_FORM_BY_KIND.values()),
    *(f"list.{act}" for act in ("accept", "drop", "restore", "same")),
    *VERBS_BY_DECISION.values(),
    *("cash.brought", "cash.banked", "record.digests-added"),
}
"""The verbs that `written_out` does not find, because the code composes them or looks them up."""


def written_out() -> Iterator[str]:
    """Yield the strings that the program passes as a log verb, or stores in a variable whose name ends in “verb”."""
    for app in ("tournament", "pairing", "scoring"):
        for path in (BASE_DIR / app).rglob("*.py"):
            if path.parent.name == "migrations":
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.keyword) and node.arg == "verb":
                    yield from strings(node.value)
                if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                    if isinstance(target, ast.Name) and target.id.lower().rpartition("_")[2] == "verb":
                        yield from strings(node.value)
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id == "_reverse_payout_in_transaction"
                ):
                    yield from strings(node.args[1])


def strings(expression: ast.expr) -> Iterator[str]:
    """Yield the string that an expression consists of, or the strings in both branches of a conditional expression."""
    match expression:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=orelse):
            yield from strings(body)
            yield from strings(orelse)


VERBS = {*written_out(), *COMPOSED}


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_a_verb_of_the_log_has_words(verb: str) -> None:
    assert verb in LOG_VERB_WORDS


def test_no_words_are_left_for_verbs_that_are_gone() -> None:
    assert sorted(set(LOG_VERB_WORDS) - VERBS) == []


def test_an_unknown_verb_is_shown_as_it_is() -> None:
    assert describe_log_verb("from.another-release") == "from.another-release"


def test_verbs_are_found_by_their_words() -> None:
    assert find_log_verbs("PRIZE PAID") == ["prize.paid"]
