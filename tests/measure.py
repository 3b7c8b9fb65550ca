"""`make measure`: how the code is laid out, in figures. docs/architecture.md keeps them.

Of the program itself: no tests, no migrations. What belongs together is read from the last commits, each file under the
name it has now.
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
"""Folders whose rooms lie one deeper."""
ONE_NAME: Final = ("purse", "draws", "rules", "models", "selectors", "services")
"""Where no two public classes or functions may have one name."""
EACH_ANSWERS: Final = {"pair"}
"""What every kind of draw answers under one name."""
LOADERS: Final = {"load_course", "load_progress", "load_rounds", "load_turning", "load_elimination"}
KIND_ASKED: Final = re.compile(
    r"(?<!def )\b(plays_(?!on\b|on_words)\w+|kind_of|format_of|shape_of|has_desk)\("
    r"|\.is_knockout\b|\btable_terms\([^)]*\) is|, (Pool|PlayOff|Bracket|Tables|Sides)Stage\)"
    r"|(is|is not|==|!=) StageKind\.|in \(StageKind\."
)
TRAIT_ASKED: Final = re.compile(r"\btraits_of\(\w|\.traits\b")
"""What a kind says of itself is asked, and no kind is named."""
KIND_ROOMS: Final = {"draws", "plans", "stage_kinds", "event_pages"}
"""Where the kinds are described, and where pages are chosen by the shape of the event."""

COMMITS: Final = 300
MOST_AT_ONCE: Final = 40
"""A commit of more files moves or renames; it says nothing about what belongs together."""


def main() -> None:
    for what, found in figures():
        print(f"{what:<68} {found}")


def figures() -> Iterator[tuple[str, str]]:
    trees = read_program()
    modules = list(trees)
    lines = {path: len((BASE_DIR / path).read_text().splitlines()) for path in modules}
    folders = Counter(path.parent for path in modules if path.name != "__init__.py")
    largest, most = folders.most_common(1)[0]
    yield "largest flat folder, modules", f"{most} ({largest})"
    yield "functions, lines: nine in ten at most, longest", _spread(_functions(trees))
    yield "modules, lines: nine in ten at most, longest", _spread({str(path): count for path, count in lines.items()})
    yield "modules in import cycles or above one", str(_in_cycles())
    yield "loaders of how an event is played", str(len(_top_names(trees) & LOADERS))
    yield f"public names that stand twice in {', '.join(ONE_NAME)}", str(len(twice(trees)))
    apps = [path for path in modules if path.parts[0] in APPS]
    asked = Counter(path.parts[1] for path in apps for _each in KIND_ASKED.findall(_text(path)))
    outside = sum(count for room, count in asked.items() if room not in KIND_ROOMS)
    yield "questions for the kind of an event; outside the rooms of the kinds", f"{asked.total()}, {outside}"
    traits = sum(len(TRAIT_ASKED.findall(_text(path))) for path in apps)
    yield "questions for what a kind says of itself", str(traits)
    yield "migration files", str(len([path for path in tracked("*/migrations/0*.py") if path.parts[0] in APPS]))
    yield "lines of the program", str(sum(lines.values()))
    yield f"files changed together that lie in one room, last {COMMITS} commits", f"{_together():.0%}"


def read_program() -> dict[Path, ast.Module]:
    modules = [path for path in tracked("*.py") if path.parts[0] in PACKAGES and "migrations" not in path.parts]
    return {path: ast.parse((BASE_DIR / path).read_text()) for path in modules}


def tracked(pattern: str) -> list[Path]:
    return [Path(name) for name in _git("ls-files", "-z", pattern).split("\0") if name]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=BASE_DIR, check=True, capture_output=True, text=True).stdout


def _spread(found: dict[str, int]) -> str:
    ordered = sorted(found.values())
    longest = max(found, key=lambda name: found[name])
    return f"{ordered[len(ordered) * 9 // 10]}, {found[longest]} ({longest})"


def _functions(trees: dict[Path, ast.Module]) -> dict[str, int]:
    return {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _in_cycles() -> int:
    """Those that no order puts behind all that they import."""
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


def _top_names(trees: dict[Path, ast.Module]) -> set[str]:
    return {name for tree in trees.values() for name in _definitions(tree)}


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
    """Of all pairs of files of the program that a commit changed, those in one room."""
    same = pairs = 0
    for changed in _changes():
        rooms = [_room(Path(name)) for name in changed if name.startswith((*APPS, "templates/", "tests/"))]
        if len(rooms) <= MOST_AT_ONCE:
            same += sum(one == other for one, other in combinations(rooms, 2))
            pairs += len(rooms) * (len(rooms) - 1) // 2
    return same / pairs if pairs else 1.0


def _room(path: Path) -> tuple[str, ...]:
    """A room has one name in the program, in templates and in tests."""
    parts: Sequence[str] = path.parts[1:] if path.parts[0] in ("templates", "tests") else path.parts
    return tuple(parts[:-1])[: 3 if set(parts[1:2]) <= PURE else 2]


def _changes() -> Iterator[set[str]]:
    """Of each commit the files it changed that are there still, newest first, under their names of today."""
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
