"""One folder of code that counts: what is changed in it, what tests it, and a copy of the program to do it in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from config.environment import BASE_DIR
from tests.devtools.mutants.plain import plain

LISTING: Final = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]

OTHERS: Final = ["manage.py", "Makefile", "requirements.txt", ".pytest_cache"]
MIGRATED: Final = Path(".pytest_cache/d/migrated")
"""The database file that tests copy: made by the first test run in this tree."""

FEW: Final = "0.05"
"""Examples of each property, as a part of its usual number (tests/chance.py)."""

WORDING: Final = [r"\"[A-Z“][^\"]* ", r"raise (Value|Type|Assertion)Error\("]
"""Lines with a sentence for people, and faults of our own calls: nothing is counted on them, so nothing is planted."""


@dataclass(frozen=True, slots=True)
class Folder:
    """`code` and `left_out` are patterns of files, `tests` what pytest takes; `share` of the mutants is tried."""

    name: str
    code: tuple[str, ...]
    tests: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    share: float = 1.0

    @property
    def place(self) -> Path:
        return BASE_DIR / "mutants" / self.name

    def files(self) -> set[Path]:
        """The files that are changed, from the top of the tree."""
        found = {path for pattern in self.code for path in BASE_DIR.glob(pattern)}
        found -= {path for pattern in self.left_out for path in BASE_DIR.glob(pattern)}
        return {path.relative_to(BASE_DIR) for path in found}


def folders() -> dict[str, Folder]:
    """By name, in the order of pyproject.toml."""
    wanted = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["tool"]["mutants"]
    return {
        name: Folder(name, tuple(one["code"]), tuple(one["tests"]), tuple(one.get("left-out", ())), one.get("share", 1))
        for name, one in wanted.items()
    }


def lay_out(folder: Folder) -> None:
    """Copy what git knows of this tree; what is unchanged since the last time stays, with all that was found of it."""
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
    """What mutmut reads, as the end of the copy's pyproject.toml."""
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
    """Run it inside the copy; what it printed, where it is `quiet`."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    few = os.environ | {"TEST_EXAMPLES": os.environ.get("TEST_EXAMPLES", FEW)}
    done = subprocess.run(command, cwd=folder.place, env=few, check=not quiet, capture_output=quiet, text=True)
    return done.stdout or ""
