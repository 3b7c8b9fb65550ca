"""Messages, pages, and papers name commands as the reader has to type them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, Final

import pytest

from config.environment import BASE_DIR
from laptop import command
from laptop.command import MANAGEMENT_COMMANDS, format_command
from tests.config.helpers import called_name, modules_of
from tournament.core.selectors.program import format_command as format_command_in_app

TYPED_IN_A_CHECKOUT: Final = re.compile(r"manage\.py|\bmake (?:run|prepare)\b|\.venv/")
PROGRAMS: Final = ("laptop", "config", "tournament", "pairing", "scoring")
ALLOWED: Final = {
    "config/environment.py": "the command that starts the program in a checkout",
    "config/unready.py": "the command that makes the tables in a checkout",
    "laptop/command.py": "the commands in a checkout",
}
"""The modules with texts that name files and commands of a checkout, and why they do."""
NAMED_IN_TEMPLATES: Final = re.compile(r"""\{% command ["'](\w+)["']""")


@pytest.fixture
def is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "IS_CHECKOUT", False)


def test_in_a_checkout_commands_are_those_of_manage_py_and_make() -> None:
    assert format_command("restore", "FILE", "--yes") == ".venv/bin/python manage.py restore FILE --yes"
    assert format_command("run", "HTTPS=1") == "make run HTTPS=1"


@pytest.mark.usefixtures("is_installed")
def test_an_installed_program_has_its_own_names() -> None:
    assert format_command_in_app("take_over_from_file", "FILE") == "gin-rummy take-over FILE"
    assert format_command_in_app("second_laptop", "alone") == "gin-rummy second-laptop alone"


@pytest.mark.parametrize("name", ["take-over", "take_over_from_file", "read-list"])
def test_the_help_of_a_command_has_the_name_that_was_typed(name: str) -> None:
    command = [sys.executable, "-m", "laptop", name, "--help"]
    done = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"usage: gin-rummy {name} ")


def test_every_named_command_exists_in_an_installed_program() -> None:
    names = [name for path in (BASE_DIR / "templates").rglob("*") for name in _list_names_in_template(path)]
    for tree in modules_of(*PROGRAMS).values():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        named = [call.args[0] for call in calls if called_name(call) == "format_command"]
        names += [str(name.value) for name in named if isinstance(name, ast.Constant)]
    assert len(names) > 10 and set(names) <= {"run", *(name for name, _about in MANAGEMENT_COMMANDS.values())}


def _list_names_in_template(path: Any) -> list[str]:
    return NAMED_IN_TEMPLATES.findall(path.read_text(encoding="utf-8")) if path.is_file() else []


def test_no_text_names_a_command_that_only_a_checkout_has() -> None:
    found = {path for path, tree in modules_of(*PROGRAMS).items() if any(_iter_texts(tree))}
    assert found == set(ALLOWED)
    pages = [path for folder in ("templates", "static/js") for path in (BASE_DIR / folder).rglob("*") if path.is_file()]
    named = [path.name for path in pages if TYPED_IN_A_CHECKOUT.search(path.read_text(encoding="utf-8"))]
    assert pages and named == []


def _iter_texts(tree: ast.Module) -> Iterator[str]:
    """Yield the texts that name a command of a checkout.

    Docstrings are not texts for users. The text "manage.py" alone is an argument with which the program starts a
    process of its own.
    """
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node in docstrings:
            continue
        if node.value != "manage.py" and TYPED_IN_A_CHECKOUT.search(node.value):
            yield node.value
