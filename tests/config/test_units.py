"""Check the examples in docs/running for servers: the units of systemd, and the compose file."""

from __future__ import annotations

import re
import shlex
import tomllib
from configparser import RawConfigParser
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from config.celery import app
from config.environment import BASE_DIR
from config.process import SHUTDOWN_TIMEOUT_S
from laptop.processes import PROCESS_KINDS

RUNNING: Final = BASE_DIR / "docs" / "running"
UNITS: Final = sorted(RUNNING.glob("systemd/*.service"))
COMPOSE: Final[dict[str, Any]] = yaml.safe_load((RUNNING / "compose.yaml").read_text())
OF_A_SERVER: Final = {"web", "writer", "reader", "worker"}
OF_SYSTEM: Final = {"HOME", "PYTHONUNBUFFERED", "POSTGRES_PASSWORD"}


def read_unit(path: Path) -> dict[str, str]:
    """Return the settings of a unit. If a setting has several lines, return only the last one."""
    parser = RawConfigParser(strict=False, delimiters="=", comment_prefixes="#")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path)
    return {name: value for section in parser.sections() for name, value in parser.items(section)}


def seconds_to_stop(process: str) -> float:
    """Return the time, in seconds, after which a process of this kind may be killed."""
    return float(app.conf.task_time_limit) if process == "worker" else SHUTDOWN_TIMEOUT_S


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_starts_an_existing_process_and_lets_it_finish(path: Path) -> None:
    unit = read_unit(path)
    *python, process = shlex.split(unit["ExecStart"])
    assert python == ["/opt/gin-rummy/.venv/bin/python", "-m", "laptop", "process"]
    assert path.stem.rstrip("@") == f"gin-rummy-{process}" and process in PROCESS_KINDS
    assert float(unit["TimeoutStopSec"]) > seconds_to_stop(process)
    assert (unit["KillMode"], unit["PartOf"], unit["WantedBy"]) == ("mixed", "gin-rummy.target", "gin-rummy.target")


def test_there_is_a_unit_and_a_container_for_each_process() -> None:
    assert {path.stem.removeprefix("gin-rummy-").rstrip("@") for path in UNITS} == OF_A_SERVER
    assert COMPOSE["services"].keys() >= OF_A_SERVER


@pytest.mark.parametrize("process", sorted(OF_A_SERVER))
def test_a_container_starts_its_process_and_lets_it_finish(process: str) -> None:
    service = COMPOSE["services"][process]
    assert service["command"] == ["python", "-m", "laptop", "process", process]
    number, unit = re.fullmatch(r"(\d+)([sm])", service["stop_grace_period"]).groups()  # type: ignore[union-attr]
    assert int(number) * {"s": 1, "m": 60}[unit] > seconds_to_stop(process)
    assert service["depends_on"] == {"prepare": {"condition": "service_completed_successfully"}}


def test_the_image_contains_only_the_program() -> None:
    """The folder of a checkout also has secrets and a database, in `var/`."""
    steps = COMPOSE["x-program"]["build"]["dockerfile_inline"].splitlines()
    copied = {name for step in steps if step.startswith("COPY") for name in step.split()[1:-1]}
    assert (RUNNING / COMPOSE["x-program"]["build"]["context"]).resolve() == BASE_DIR
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    assert copied == {*wheel, "pyproject.toml"}


def test_every_setting_of_the_examples_is_in_operations() -> None:
    lines = (RUNNING / "systemd" / "environment").read_text().splitlines()
    named = {line.partition("=")[0] for line in lines if not line.startswith("#")}
    named |= {each.partition("=")[0] for path in UNITS for each in read_unit(path)["Environment"].split()}
    named |= COMPOSE["x-program"]["environment"].keys()
    rows = re.findall(r"^\| (`[A-Z_`, ]+`) \|", (BASE_DIR / "docs" / "operations.md").read_text(), re.MULTILINE)
    assert named - {name for row in rows for name in re.findall(r"\w+", row)} - OF_SYSTEM == set()
