"""Provide fixtures that give a test of the second laptop its own folder, role, and desk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.factories import a_tournament
from tests.tournament.helpers.backups import write
from tests.tournament.helpers.second_laptop import LONG_AGO, Desk, hear_from_second_laptop
from tournament.core.services.installation import begin_installation_epoch
from tournament.models import Installation
from tournament.second_laptop.selectors import load_last_change
from tournament.second_laptop.services.changes import start_recording_changes, stop_recording_changes


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    """Give this laptop an empty data folder and a new identity, and return the folder."""
    settings.VAR_DIR = tmp_path
    settings.SECOND_LAPTOP_ACK_FILE = tmp_path / "second-laptop" / "ack"
    begin_installation_epoch(Installation.Origin.STARTED)
    return tmp_path


@pytest.fixture
def apart(settings: Any, tmp_path: Path) -> Iterator[None]:
    """Make this the first of two laptops. The second one has not responded for a minute."""
    settings.VAR_DIR, settings.SECOND_LAPTOP_ACK_FILE = tmp_path, tmp_path / "second-laptop" / "ack"
    start_recording_changes()
    write(a_tournament())
    hear_from_second_laptop(load_last_change(), LONG_AGO)
    yield
    stop_recording_changes()


@pytest.fixture
def desk() -> Desk:
    return Desk()
