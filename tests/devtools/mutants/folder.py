"""A folder of code to mutate: its files, its tests, and a copy of the program to work in.

mutmut skips functions with decorators, so the copy applies each decorator below its function instead:

    @property                               def total__plain(self) -> int:
    def total(self) -> int:         →           return self.game + self.boxes
        return self.game + self.boxes       total = property(total__plain)
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from config.environment import BASE_DIR

KEPT_DECORATORS = {"staticmethod", "classmethod", "abstractmethod", "overload", "final", "override", "setter"}
"""Decorators that mutmut can handle, or whose functions contain nothing to change."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def plain(source: str) -> str:
    r"""Return the module with all decorators of functions and methods replaced by assignments.

    >>> print(plain("class A:\n    @property\n    def b(self):\n        return 1\n"), end="")
    class A:
        def b__plain(self):
            return 1
        b = property(b__plain)
    """
    lines = source.splitlines(keepends=True)
    for function in reversed(_decorated(ast.parse(source))):
        _move(lines, function)
    return "".join(lines)


def _decorated(module: ast.Module) -> list[Function]:
    """Return the decorated functions in the module and its classes that mutmut would skip, in order."""
    bodies = [module.body, *(node.body for node in module.body if isinstance(node, ast.ClassDef))]
    functions = [node for body in bodies for node in body if isinstance(node, Function) and node.decorator_list]
    left_out = [
        one for one in functions if not any(_decorator_name(by) in KEPT_DECORATORS for by in one.decorator_list)
    ]
    return sorted(left_out, key=lambda one: one.lineno)


def _decorator_name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _move(lines: list[str], function: Function) -> None:
    name, own = function.name, f"{function.name}__plain"
    value = own
    for decorator in reversed(function.decorator_list):
        value = f"{ast.unparse(decorator)}({value})"
    if not lines[function.end_lineno - 1].endswith("\n"):
        lines[function.end_lineno - 1] += "\n"
    lines.insert(function.end_lineno, f"{' ' * function.col_offset}{name} = {value}\n")
    head = lines[function.lineno - 1]
    lines[function.lineno - 1] = head.replace(f"def {name}", f"def {own}", 1)
    del lines[function.decorator_list[0].lineno - 1 : function.lineno - 1]


LISTING: Final = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]

OTHERS: Final = ["manage.py", "Makefile", "requirements.txt", "var"]
MIGRATED: Final = Path("var/prepared")
"""The database file that tests copy. The first test run creates it."""

FEW: Final = "0.05"
"""The share of the usual number of examples for each property test (tests/chance.py)."""

WORDING: Final = [r"\"[A-Z“][^\"]* ", r"raise (Value|Type|Assertion)Error\("]
"""Patterns for lines that are not changed: text for users, and errors about incorrect calls."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder to mutate.

    `code` and `left_out` are file patterns, `tests` are arguments for pytest, and `share` is the share of mutants to
    try.
    """

    name: str
    code: tuple[str, ...]
    tests: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    share: float = 1.0

    @property
    def place(self) -> Path:
        return BASE_DIR / "mutants" / self.name

    def files(self) -> set[Path]:
        found = {path for pattern in self.code for path in BASE_DIR.glob(pattern)}
        found -= {path for pattern in self.left_out for path in BASE_DIR.glob(pattern)}
        return {path.relative_to(BASE_DIR) for path in found}


def folders() -> dict[str, Folder]:
    wanted = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["tool"]["mutants"]
    return {
        name: Folder(name, tuple(one["code"]), tuple(one["tests"]), tuple(one.get("left-out", ())), one.get("share", 1))
        for name, one in wanted.items()
    }


def lay_out(folder: Folder) -> None:
    """Copy the files that git tracks to the folder's working copy.

    Files that have not changed are not written again, so that mutmut keeps their results.
    """
    listed = subprocess.run(LISTING, cwd=BASE_DIR, check=True, capture_output=True, text=True).stdout
    changed = folder.files()
    for name in filter(None, listed.split("\0")):
        source = BASE_DIR / name
        if source.is_file():
            content = source.read_bytes()
            if Path(name) in changed:
                content = plain(content.decode()).encode()
            if name == "pyproject.toml":
                content += _settings(folder).encode()
            _write(folder.place / name, content)
    for made in (BASE_DIR / MIGRATED).glob("*.sqlite3"):
        _write(folder.place / MIGRATED / made.name, made.read_bytes())


def _write(target: Path, content: bytes) -> None:
    if not target.exists() or target.read_bytes() != content:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _settings(folder: Folder) -> str:
    """Return mutmut's settings, to append to the copy's pyproject.toml."""
    settings = {
        "source_paths": ["tournament", "pairing", "scoring"],
        "only_mutate": sorted(str(path) for path in folder.files()),
        "do_not_mutate_patterns": WORDING,
        "also_copy": ["config", "laptop", "templates", "static", "docs", *OTHERS],
        "pytest_add_cli_args": ["-p", "tests.devtools.mutants.plugin", "-m", "not browser"],
        "pytest_add_cli_args_test_selection": list(folder.tests),
        "timeout_multiplier": 4.0,
        "timeout_constant": 3.0,
        "use_git_change_detection": False,
        "on_dependency_change": "ignore",
    }
    rows = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in settings.items())
    return "\n[tool.mutmut]\n" + "\n".join(rows) + "\n"


def mutmut(folder: Folder, *arguments: str, quiet: bool = False) -> str:
    """Run mutmut in the working copy. If `quiet` is true, return its output instead of printing it."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    few = os.environ | {"TEST_EXAMPLES": os.environ.get("TEST_EXAMPLES", FEW)}
    done = subprocess.run(command, cwd=folder.place, env=few, check=not quiet, capture_output=quiet, text=True)
    return done.stdout or ""
