"""Every setting, every command, and every error code is described in the docs.

`tests/config/test_monitoring.py` compares the metrics with docs/running/monitoring.md.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from config.environment import BASE_DIR
from laptop.command import MANAGEMENT_COMMANDS
from tests.devtools import error_codes

DOCS: Final = BASE_DIR / "docs"
PROGRAM: Final = ("config", "laptop", "tournament", "pairing", "scoring")
ENVIRONMENTS: Final = frozenset({"env", "os.environ"})
"""The expressions by which the program reads environment variables."""
VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]+")
NO_SETTING: Final = frozenset({"PATH", "PYTHONPATH", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"})
"""Variables of the system."""
OF_LIBRARIES: Final = frozenset({"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"})
PAGES_WITH_SETTINGS: Final = ("operations.md", "running/settings.md")


def modules_that_read_settings() -> Iterator[ast.Module]:
    paths = [path for name in PROGRAM for path in (BASE_DIR / name).rglob("*.py")]
    for text in (path.read_text(encoding="utf-8") for path in (*paths, BASE_DIR / "manage.py")):
        if "environ" in text or "import env" in text:
            yield ast.parse(text)


def first_cells(page: Path) -> Iterator[str]:
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            yield line.split(" | ")[0]


# --- Settings --------------------------------------------------------------------------------------------------------


def variables_read() -> set[str]:
    """Return the names of environment variables that the program reads or sets."""
    found: set[str] = set()
    for tree in modules_that_read_settings():
        constants = dict(_iter_constants(tree))
        for node in ast.walk(tree):
            for name in _list_variables(node):
                text = name.value if isinstance(name, ast.Constant) else constants.get(ast.unparse(name))
                if isinstance(text, str) and VARIABLE.fullmatch(text):
                    found.add(text)
    return found - NO_SETTING


def _iter_constants(tree: ast.Module) -> Iterator[tuple[str, object]]:
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            values = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
            for name, value in zip(names, values, strict=False):
                if isinstance(value, ast.Constant):
                    yield ast.unparse(name), value.value


def _list_variables(node: ast.AST) -> list[ast.expr]:
    """Return the expressions in this node that name an environment variable."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner), args=[name, *_]) if ast.unparse(owner) in ENVIRONMENTS:
            return [name]
        case ast.Call(func=ast.Name(id="lazy_secret" | "_read_port"), args=[name, *_]):
            return [name]
        case ast.Subscript(value=owner, slice=name) if ast.unparse(owner) in ENVIRONMENTS:
            return [name]
        case ast.Compare(left=name, comparators=[owner]) if ast.unparse(owner) in ENVIRONMENTS:
            return [name]
        case _:
            return []


def test_every_setting_is_in_a_table_of_the_docs() -> None:
    cells = " ".join(cell for page in PAGES_WITH_SETTINGS for cell in first_cells(DOCS / page))
    read = variables_read()
    assert {"PORT", "VAR_DIR", "SECRET_KEY", "FONT_FOLDERS", "DATABASE_URL"} < read
    assert sorted(read - set(re.findall(r"`([A-Z0-9_]+)`", cells))) == []


def test_every_documented_setting_exists() -> None:
    cells = " ".join(cell for page in PAGES_WITH_SETTINGS for cell in first_cells(DOCS / page))
    described = {name for name in re.findall(r"`([A-Z0-9_]+)`", cells) if VARIABLE.fullmatch(name)}
    paths = [path for name in PROGRAM for path in (BASE_DIR / name).rglob("*.py")]
    program = " ".join(path.read_text(encoding="utf-8") for path in (*paths, BASE_DIR / "Procfile") if path.exists())
    assert sorted(name for name in described - OF_LIBRARIES if name not in program) == []


# --- Commands --------------------------------------------------------------------------------------------------------


def test_every_command_is_described() -> None:
    docs = " ".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md"))
    apps = ("tournament", "pairing", "scoring")
    commands = {path.stem for app in apps for path in (BASE_DIR / app / "management" / "commands").glob("[a-z]*.py")}
    assert len(commands) > 20
    assert sorted(name for name in commands if not re.search(rf"\b{name}\b", docs)) == []


def test_every_subcommand_of_an_installed_program_is_in_the_table() -> None:
    cells = " ".join(first_cells(DOCS / "operations.md"))
    assert [name for name in ("run", *MANAGEMENT_COMMANDS) if f"`{name}" not in cells] == []


# --- Error codes -----------------------------------------------------------------------------------------------------


def test_every_error_code_is_in_the_table_with_its_status() -> None:
    """If this fails, run `python -m tests.devtools.error_codes`."""
    found = error_codes.collect_error_codes()
    rows = re.findall(r"^\| `([a-z-]+)` \| ([\d, ]+) \|", error_codes.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    statuses = {code: ", ".join(map(str, sorted(known.statuses))) for code, known in found.codes.items()}
    assert dict(rows) == statuses and len(rows) == len(statuses) > 300


def test_a_code_that_is_chosen_later_is_listed_by_hand() -> None:
    assert error_codes.collect_error_codes().chosen_later == set(error_codes.CHOSEN_LATER)
