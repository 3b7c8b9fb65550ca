"""A laptop of its own for each test of the second laptop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tournament.core.services.installation import begin_installation_epoch
from tournament.models import Installation


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    """Give this laptop an empty folder and an identity."""
    settings.VAR_DIR = tmp_path
    settings.SECOND_LAPTOP_ACK_FILE = tmp_path / "second-laptop" / "ack"
    begin_installation_epoch(Installation.Origin.STARTED)
    return tmp_path
