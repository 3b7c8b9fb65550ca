"""Add two generated files to the wheel: an empty database with all tables, and the build's commit and day."""

import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelBuildHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="wheel-"))
        build = self._folder / "build.txt"
        build.write_text(f"build {_find_commit(self.root)}, {datetime.now(UTC):%Y-%m-%d}\n", encoding="ascii")
        database = self._folder / "db.sqlite3"
        sys.path.insert(0, self.root)
        from laptop.prepare import copy_prepared_database

        copy_prepared_database(database)
        build_data["force_include"] |= {str(build): "build.txt", str(database): "prepared/db.sqlite3"}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self._folder)


def _find_commit(folder: str) -> str:
    """Return the abbreviated commit, or “unknown” if the source is not a git repository."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=9"]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
