"""Test that each package of an app states its purpose, and that other packages import only its public names."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Final

import grimp
import pytest

from config.environment import BASE_DIR

APPS: Final = ("tournament", "pairing", "scoring")
PACKAGES: Final = ("laptop", "config", *APPS)
NO_ROOMS: Final = {"data", "intake", "management", "migrations", "models", "tasks", "templatetags", "urls"}
"""Folders of an app that are not rooms, such as `migrations`, which Django expects at this place."""
PURE: Final = {"purse", "spreadsheets", "draws", "rules"}
DOORS: Final = {"console", "public", "player", "api", "live"}
CHOOSES_DOORS: Final = ("config", *(f"{app}.urls" for app in APPS), "pairing.event_pages")
"""Modules that may import the `DOORS` of any room, because they assign views to URLs."""
PUBLIC: Final = re.compile(r"\n\nPublic: (.+)\.\Z")


def _rooms() -> list[str]:
    contracts = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (found,) = [each["containers"] for each in contracts if each["name"].startswith("In every room")]
    return sorted(found)


ROOMS: Final = _rooms()


def _says(room: str) -> str:
    text = (BASE_DIR / room.replace(".", "/") / "__init__.py").read_text()
    return ast.get_docstring(ast.parse(text)) or ""


def _public(room: str) -> set[str]:
    found = PUBLIC.search(_says(room))
    assert found is not None, f"{room} does not say what is public"
    return set(found.group(1).split(", ")) if found.group(1) != "nothing but its pages" else set()


def _room_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def test_every_folder_of_an_app_is_a_room_or_known() -> None:
    folders = {
        f"{app}.{path.parent.name}"
        for app in APPS
        for path in (BASE_DIR / app).glob("*/__init__.py")
        if path.parent.name not in NO_ROOMS | PURE
    }
    assert sorted(folders) == ROOMS


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for_and_what_is_public(room: str) -> None:
    folder = BASE_DIR / room.replace(".", "/")
    assert len(_says(room).splitlines()) >= 3
    missing = [name for name in _public(room) if not (folder / name).is_dir() and not (folder / f"{name}.py").is_file()]
    assert missing == []
    assert _public(room) & DOORS == set()


def test_nobody_reaches_behind_what_a_room_says_is_public() -> None:
    graph = grimp.build_graph(*PACKAGES)
    public = {room: _public(room) for room in ROOMS}
    wrong = []
    for module in sorted(graph.modules):
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            room, parts = _room_of(imported), imported.split(".")
            if room not in public or _room_of(module) == room or len(parts) < 3 or parts[2] in public[room]:
                continue
            if parts[2] not in DOORS or not module.startswith(CHOOSES_DOORS):
                wrong.append(f"{module} → {imported}")
    assert wrong == []


def test_what_a_room_says_is_public_is_asked_for() -> None:
    graph = grimp.build_graph(*PACKAGES)
    asked = {
        (_room_of(imported), imported.split(".")[2])
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
        if len(imported.split(".")) > 2 and _room_of(module) != _room_of(imported)
    }
    assert [f"{room}: {name}" for room in ROOMS for name in sorted(_public(room)) if (room, name) not in asked] == []


def test_templates_lie_in_the_rooms_of_the_program() -> None:
    rooms = {room.replace(".", "/") for room in ROOMS} | {"tournament/mail"}
    templates = BASE_DIR / "templates"
    found = {path.relative_to(templates) for app in APPS for path in (templates / app).rglob("*.html")}
    assert sorted(str(path) for path in found if str(Path(*path.parts[:2])) not in rooms) == []
