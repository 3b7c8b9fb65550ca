"""Fixtures for the page *This computer*: a folder for its files, and the clients of three users."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.factories import a_user


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.VAR_DIR = tmp_path
    settings.BACKUP_DIR = tmp_path / "backups"
    settings.BACKUP_MOUNT_FOLDERS = []
    settings.IS_SUPERVISED = True
    settings.STARTED_AT = "2026-11-28T15:02:00+00:00"
    return tmp_path


@pytest.fixture
def administrator() -> Client:
    client = Client()
    client.force_login(a_user(is_superuser=True))
    return client
