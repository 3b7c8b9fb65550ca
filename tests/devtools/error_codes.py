"""List the codes of all refusals in the program, and write them to `docs/running/error-codes.md`.

python -m tests.devtools.error_codes
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from typing import Final

from config.environment import BASE_DIR

PAGE: Final = BASE_DIR / "docs" / "running" / "error-codes.md"
CODE: Final = re.compile(r"[a-z]+(?:-[a-z]+)*")
SENTENCE: Final = re.compile(r"\w+ \S*\w+.*\.")
MAY_REFUSE: Final = re.compile(r"\braise \w+\(|refus|code=|\(DomainError\)", re.IGNORECASE)
"""Finds the modules that may raise a refusal. Parsing all modules would take much longer."""
DEFAULT_STATUS: Final = 422
CHOSEN_LATER: Final[Mapping[str, tuple[int, tuple[str, ...]]]] = {
    "scoring/cards/services/hands.py": (422, ()),
    "scoring/posting/services/posting.py": (
        409,
        ("seating-taken-back", "pairing-taken-back", "stage-taken-back", "draw-taken-back"),
    ),
    "tournament/core/services/previews.py": (409, ("look-again",)),
    "tournament/money/services/ledger.py": (
        409,
        ("more-than-withheld", "withheld-sent", "more-than-donated", "donation-sent"),
    ),
    "tournament/money/services/side_pools.py": (422, ()),
    "tournament/purse/prizes.py": (422, ()),
}
"""The modules that choose a code while they run, with the HTTP status and the codes. Other refusals pass a code on."""

WITH_OWN_CODE: Final = frozenset({"BadPaperRows", "_NotAdded"})
"""The classes of refusals that are created without a code, because they always have the same one."""


@dataclass
class ErrorCode:
    statuses: set[int] = field(default_factory=set)
    messages: list[str] = field(default_factory=list)


@dataclass
class FoundCodes:
    """All codes, and the modules with a refusal whose code is not a literal text."""

    codes: dict[str, ErrorCode] = field(default_factory=dict)
    chosen_later: set[str] = field(default_factory=set)

    def add(self, code: str, status: int, message: str) -> None:
        known = self.codes.setdefault(code, ErrorCode())
        known.statuses.add(status)
        if message and message not in known.messages:
            known.messages.append(message)


@cache
def collect_error_codes() -> FoundCodes:
    """Return the codes that the program's modules pass to `DomainError` and its subclasses."""
    folders = [BASE_DIR / name for name in ("tournament", "pairing", "scoring", "config")]
    texts = {path: path.read_text(encoding="utf-8") for folder in folders for path in sorted(folder.rglob("*.py"))}
    parsed = {path: ast.parse(text) for path, text in texts.items() if MAY_REFUSE.search(text)}
    trees, found = {path.relative_to(BASE_DIR).as_posix(): tree for path, tree in parsed.items()}, FoundCodes()
    statuses = _find_statuses(trees)
    for path, tree in trees.items():
        for function, call in _iter_refusals(tree, statuses):
            codes = _list_texts(call.args[0])
            if not codes and _get_called_name(call) not in WITH_OWN_CODE:
                found.chosen_later.add(path)
            for code in codes:
                message = _find_message(call.args[1], (function, tree)) if len(call.args) > 1 else ""
                found.add(code, statuses[_get_called_name(call)], message)
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            status = {"require_unchanged": 409, "require_override": 422}.get(_get_called_name(call))
            for keyword in call.keywords:
                if status and keyword.arg == "code":
                    for code in _list_texts(keyword.value):
                        found.add(code, status, "")
    found.add("improbable", DEFAULT_STATUS, "")
    for status, chosen in CHOSEN_LATER.values():
        for code in chosen:
            found.add(code, status, "")
    return found


def _get_called_name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _find_statuses(trees: Mapping[str, ast.Module]) -> dict[str, int]:
    """Return the HTTP status of `DomainError` and each of its subclasses, by the name of the class."""
    classes = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    statuses = {"DomainError": DEFAULT_STATUS}
    for _level in range(3):  # subclasses of subclasses
        for each in classes:
            bases = [base.id for base in each.bases if isinstance(base, ast.Name) and base.id in statuses]
            if bases:
                statuses[each.name] = _read_status(each) or statuses[bases[0]]
    return statuses


def _read_status(class_: ast.ClassDef) -> int | None:
    for statement in class_.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, ast.Constant):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            if isinstance(target, ast.Name) and target.id == "http_status":
                return int(str(statement.value.value))
    return None


def _iter_refusals(
    tree: ast.AST, statuses: dict[str, int], around: ast.AST | None = None
) -> Iterator[tuple[ast.AST | None, ast.Call]]:
    """Yield each call that creates a refusal, with the function around it.

    If a class of refusals has its own `__init__`, the call of `super().__init__` there has the code. It is yielded as a
    call of this class.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call) and len(node.args) > 1 and _get_called_name(node) in statuses:
            yield around, node
        if isinstance(node, ast.ClassDef) and node.name in statuses:
            for call in (each for each in ast.walk(node) if isinstance(each, ast.Call) and len(each.args) > 1):
                if ast.unparse(call.func) == "super().__init__":
                    yield node, ast.Call(ast.Name(node.name), call.args, [])
        inner = node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else around
        yield from _iter_refusals(node, statuses, inner)


def _list_texts(node: ast.AST) -> list[str]:
    """Return the code, or the two codes of a conditional expression. Return an empty list if it is not literal."""
    if isinstance(node, ast.IfExp):
        return [*_list_texts(node.body), *_list_texts(node.orelse)]
    is_code = isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value)
    return [str(node.value)] if is_code and isinstance(node, ast.Constant) else []


def _find_message(node: ast.AST, scopes: Sequence[ast.AST | None]) -> str:
    """Return the first sentence in an expression, or in the last assignment to a variable that it uses.

    `scopes` are the function around the expression, and the module. A later assignment does not count.
    """
    texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    sentence = next((text for text in texts if SENTENCE.search(text)), "")
    if sentence or not scopes:
        return sentence
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    first, *others = scopes
    assigned = [
        (each.lineno, each.value)
        for each in (ast.walk(first) if first is not None else ())
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None and _assigns_one_of(each, names)
    ]
    line = getattr(node, "lineno", 0)
    earlier = sorted((each for each in assigned if isinstance(first, ast.Module) or each[0] <= line), key=itemgetter(0))
    messages = (_find_message(value, ()) for _at, value in reversed(earlier))
    return next(filter(None, messages), "") or _find_message(node, others)


def _assigns_one_of(statement: ast.Assign | ast.AnnAssign, names: set[str]) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return any(isinstance(target, ast.Name) and target.id in names for target in targets)


def make_table(codes: Mapping[str, ErrorCode]) -> str:
    rows = ["| code | status | message, for example |", "|---|---|---|"]
    for code, known in sorted(codes.items()):
        statuses = ", ".join(map(str, sorted(known.statuses)))
        message = re.sub(
            r"%?\(\w+\)[sd]|\{\w+\}", "…", known.messages[0] if known.messages else "The text depends on the request."
        )
        rows.append(f"| `{code}` | {statuses} | {message.replace('|', chr(92) + '|').replace('%%', '%')} |")
    return "\n".join(rows)


def main() -> None:
    head, _table = PAGE.read_text(encoding="utf-8").split("| code |", 1)
    PAGE.write_text(head + make_table(collect_error_codes().codes) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
