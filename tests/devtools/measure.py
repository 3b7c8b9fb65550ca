"""Measure how the code is organized (`make measure`). docs/architecture.md explains the figures.

They cover the program without tests and migrations. The latest commits show which files change together.
"""

from __future__ import annotations

import ast
import contextlib
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from pathlib import Path
from typing import Final

import grimp

from config.environment import BASE_DIR

PACKAGES: Final = ("laptop", "config", "tournament", "pairing", "scoring")
APPS: Final = PACKAGES[2:]
PURE: Final = {"purse", "spreadsheets", "draws", "rules"}
"""Folders whose subfolders count as separate rooms."""
ONE_NAME: Final = ("purse", "draws", "rules", "models", "selectors", "services")
"""Folders in which no public class or function name may be used twice."""
EACH_ANSWERS: Final = {"pair"}
"""A name that may be used several times, because the module of every draw format has a function with it."""
LOADERS: Final = {"load_event_stages", "load_progress", "load_rounds", "load_turning", "load_elimination"}
KIND_ASKED: Final = re.compile(
    r"(?<!def )\b(plays_(?!on\b|on_words)\w+|kind_of|format_of|shape_of|has_desk)\("
    r"|\.is_knockout\b|\btable_terms\([^)]*\) is|, (Pool|PlayOff|Bracket|Tables|Sides)Stage\)"
    r"|(is|is not|==|!=) StageKind\.|in \(StageKind\."
)
TRAIT_ASKED: Final = re.compile(r"\btraits_of\(\w|\.traits\b")
"""Finds code that depends on a trait without naming a kind of stage."""
KIND_ROOMS: Final = {"draws", "plans", "stage_kinds", "event_pages"}
"""Rooms that describe kinds of stages, or choose pages based on the event's format."""

RIDDLE: Final = re.compile(
    r"(?:Who|Whom|Whose|What|Which|Where|Of|As|By|To|With|In|At(?! least| most)|None|Those)\b(?!-)", re.IGNORECASE
)
"""First words of a docstring that obscure its subject."""
LONG: Final = 60
"""The number of lines that fit on a screen."""
BESIDE_ROOMS: Final = {
    *("models", "migrations", "management", "urls", "templatetags", "tasks", "locale", "data"),
    *("purse", "draws", "rules"),
}
COMMITS: Final = 300
MOST_AT_ONCE: Final = 40
"""The maximum number of files in a commit. Larger commits move or rename files, and do not show what belongs
together.
"""


def main() -> None:
    for what, found in figures():
        print(f"{what:<68} {found}")


def figures() -> Iterator[tuple[str, str]]:
    trees = read_program()
    modules = [path for path in trees if path.name != "__init__.py"]
    lines = sum(len(_text(path).splitlines()) for path in trees)
    code = sum(_code_lines(_text(path), tree) for path, tree in trees.items())
    docs = [text for tree in trees.values() for text in _docstrings(tree)]
    homes = _homes(trees)
    public = sum(map(len, homes.values()))
    importers = _importers(trees)
    once = sum(len(importers[name] - {home}) == 1 for name, found in homes.items() for home in found)
    yield "modules", str(len(modules))
    yield "rooms", str(len({_app_room(path) for path in trees} - {None}))
    yield "lines of the program; of its tests", f"{lines}; {_test_lines()}"
    yield "functions longer than 60 lines", str(sum(length > LONG for length in _functions(trees).values()))
    yield "public names for each 1,000 lines of code", f"{1000 * public / code:.1f}"
    yield "public names that exactly one other module imports", str(once)
    yield "public names that are defined twice", str(sum(len(found) > 1 for found in homes.values()))
    yield "the same in the rings and pure folders where none may be", str(len(twice(trees)))
    yield "dataclasses", str(sum(map(_dataclasses, trees.values())))
    yield "docstrings that begin like a riddle", f"{100 * sum(map(_is_riddle, docs)) / len(docs):.1f} %"
    yield "modules in import cycles or above one", str(_in_cycles())
    yield "loaders of how an event is played", str(len(homes.keys() & LOADERS))
    apps = [path for path in trees if path.parts[0] in APPS]
    asked = Counter(path.parts[1] for path in apps for _each in KIND_ASKED.findall(_text(path)))
    outside = sum(count for room, count in asked.items() if room not in KIND_ROOMS)
    yield "questions for the kind of an event; outside the rooms of the kinds", f"{asked.total()}, {outside}"
    traits = sum(len(TRAIT_ASKED.findall(_text(path))) for path in apps)
    yield "questions for what a kind says of itself", str(traits)
    yield "migration files", str(len([path for path in tracked("*/migrations/0*.py") if path.parts[0] in APPS]))
    yield f"files changed together that lie in one room, last {COMMITS} commits", f"{_together():.0%}"


def read_program() -> dict[Path, ast.Module]:
    modules = [path for path in tracked("*.py") if path.parts[0] in PACKAGES and "migrations" not in path.parts]
    return {path: ast.parse((BASE_DIR / path).read_text()) for path in modules}


def tracked(pattern: str) -> list[Path]:
    return [Path(name) for name in _git("ls-files", "-z", pattern).split("\0") if name]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=BASE_DIR, check=True, capture_output=True, text=True).stdout


def _code_lines(text: str, tree: ast.Module) -> int:
    """Return the number of lines without blank lines, comments, and docstrings."""
    filled = sum(bool(line.strip()) and not line.strip().startswith("#") for line in text.splitlines())
    return filled - sum(node.end_lineno - node.lineno + 1 for node in _docstring_nodes(tree) if node.end_lineno)


def _docstring_nodes(tree: ast.Module) -> Iterator[ast.Expr]:
    for node in ast.walk(tree):
        is_documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if is_documented and ast.get_docstring(node) and isinstance(node.body[0], ast.Expr):
            yield node.body[0]


def _docstrings(tree: ast.Module) -> Iterator[str]:
    for node in _docstring_nodes(tree):
        if isinstance(node.value, ast.Constant):
            yield str(node.value.value).strip()


def _is_riddle(docstring: str) -> bool:
    return RIDDLE.match(docstring) is not None


def _homes(trees: dict[Path, ast.Module]) -> dict[str, set[Path]]:
    """Return the modules that define each public name."""
    homes: dict[str, set[Path]] = defaultdict(set)
    for path, tree in trees.items():
        for name in _definitions(tree):
            homes[name].add(path)
    return homes


def _importers(trees: dict[Path, ast.Module]) -> dict[str, set[Path]]:
    """Return the modules that import each name from another module."""
    found: dict[str, set[Path]] = defaultdict(set)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    found[alias.name].add(path)
    return found


def _app_room(path: Path) -> str | None:
    """Return the room (package) of an app that a module belongs to, or None if it is outside all rooms."""
    is_in_room = path.parts[0] in APPS and len(path.parts) > 2 and path.parts[1] not in BESIDE_ROOMS
    return f"{path.parts[0]}/{path.parts[1]}" if is_in_room else None


def _dataclasses(tree: ast.Module) -> int:
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return sum(any("dataclass" in ast.dump(decorator) for decorator in node.decorator_list) for node in classes)


def _test_lines() -> int:
    return sum(len(_text(path).splitlines()) for path in tracked("tests/*.py"))


def _functions(trees: dict[Path, ast.Module]) -> dict[str, int]:
    return {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _in_cycles() -> int:
    """Count the modules that are part of an import cycle."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True)
    order = TopologicalSorter({module: graph.find_modules_directly_imported_by(module) for module in graph.modules})
    with contextlib.suppress(CycleError):
        order.prepare()
    done = 0
    while ready := order.get_ready():
        done += len(ready)
        order.done(*ready)
    return len(graph.modules) - done


def _definitions(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name


def twice(trees: dict[Path, ast.Module]) -> list[str]:
    places: dict[str, set[Path]] = defaultdict(set)
    for path, tree in trees.items():
        if path.parts[0] in APPS and set(path.with_suffix("").parts) & set(ONE_NAME):
            for name in _definitions(tree):
                places[name].add(path)
    return sorted(name for name, found in places.items() if len(found) > 1 and name not in EACH_ANSWERS)


def _text(path: Path) -> str:
    return (BASE_DIR / path).read_text()


def _together() -> float:
    """Return how often two files that were changed in the same commit are in the same room, as a share from 0 to 1.

    Each pair of files in a commit counts once. Commits that change more than `MOST_AT_ONCE` files are left out.
    """
    same = pairs = 0
    for changed in _changes():
        rooms = [_room(Path(name)) for name in changed if name.startswith((*APPS, "templates/", "tests/"))]
        if len(rooms) <= MOST_AT_ONCE:
            same += sum(one == other for one, other in combinations(rooms, 2))
            pairs += len(rooms) * (len(rooms) - 1) // 2
    return same / pairs if pairs else 1.0


def _room(path: Path) -> tuple[str, ...]:
    """Return a file's room. A room has the same name in the program, its templates, and its tests."""
    parts: Sequence[str] = path.parts[1:] if path.parts[0] in ("templates", "tests") else path.parts
    return tuple(parts[:-1])[: 3 if set(parts[1:2]) <= PURE else 2]


def _changes() -> Iterator[set[str]]:
    """Yield the existing files that each commit changed, newest first, under their current names."""
    today = {str(path): str(path) for path in tracked("*")}
    for commit in _git("log", f"-{COMMITS}", "-M", "--name-status", "--format=%x00").split("\0"):
        rows = [line.split("\t") for line in commit.splitlines() if "\t" in line]
        yield {today[row[-1]] for row in rows if row[-1] in today}
        _go_back(today, rows)


def _go_back(today: dict[str, str], rows: Iterable[Sequence[str]]) -> None:
    for row in rows:
        if row[0].startswith("R") and row[2] in today:
            today[row[1]] = today.pop(row[2])


if __name__ == "__main__":
    main()
