"""docs/tour.md walks through the code by names: each of them is there, and each walk is short."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

TOUR: Final = (Path(__file__).resolve().parents[2] / "docs" / "tour.md").read_text()
STOP: Final = re.compile(r"^\d+\. `([\w.]+)`", re.MULTILINE)
WALKS: Final = {part.splitlines()[0]: STOP.findall(part) for part in TOUR.split("\n## ")[1:]}


@pytest.mark.parametrize("name", [name for stops in WALKS.values() for name in stops])
def test_each_stop_is_there(name: str) -> None:
    module, _dot, last = name.rpartition(".")
    found = import_module(module)
    assert hasattr(found, last) or import_module(name)


def test_each_walk_is_short() -> None:
    assert list(WALKS) == ["One posted hand", "One fee"]
    assert 10 < len(WALKS["One posted hand"]) <= 14
    assert 10 < len(WALKS["One fee"]) < 20
