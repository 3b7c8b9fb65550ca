"""Define the fixture `start`, which runs `make run` in a temporary folder and ends it after the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.laptop.runs import starting
from tests.processes import Process


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("our tournaments #1")


@pytest.fixture
def start(installation: Path, tmp_path: Path) -> Iterator[Callable[..., Process]]:
    with starting(installation, tmp_path) as start:
        yield start
