"""Add two generated files to the wheel: a migrated database for the first start, and the build's commit and day."""

import os
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelBuildHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="wheel-"))
        build = self._folder / "build.txt"
        build.write_text(f"build {_find_commit(self.root)}, {datetime.now(UTC):%Y-%m-%d}\n", encoding="ascii")
        build_data["force_include"] |= {str(build): "build.txt", str(self._make_database()): "prepared/db.sqlite3"}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self._folder)

    def _make_database(self) -> Path:
        """Return an empty database that has all tables."""
        file = self._folder / "db.sqlite3"
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": f"sqlite:///{quote(str(file))}",
            "VAR_DIR": str(self._folder / "var"),
        }
        command = [sys.executable, "-m", "django", "migrate", "--verbosity", "0"]
        subprocess.run(command, cwd=self.root, env=environment, check=True)
        return file


def _find_commit(folder: str) -> str:
    """Return the abbreviated commit, or “unknown” if the source is not a git repository."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=9"]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
