"""The fixture `start`, which runs `make run` in a folder of the module and ends it after the test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from config.environment import BASE_DIR
from tests.laptop.runs import all_of, environment_of
from tests.processes import Process


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("our tournaments #1")


@pytest.fixture
def start(installation: Path, tmp_path: Path) -> Iterator[object]:
    started: list[Process] = []

    def start(port: int, **environment: str) -> Process:
        log_file = tmp_path / f"run-{len(started)}.log"
        with log_file.open("wb") as log:
            popen = subprocess.Popen(
                [sys.executable, "-m", "laptop.run"],
                cwd=BASE_DIR,
                env={**environment_of(installation), "PORT": str(port), **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        started.append(Process(popen, log_file))
        return started[-1]

    yield start
    for process in started:
        if process.popen.poll() is None:
            left = all_of(process)
            process.popen.kill()
            process.popen.wait()
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
