"""Build the wheel, install it into an empty environment, and use it as a club would: run, play, back up, uninstall."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from config.environment import BASE_DIR
from tests.laptop.director import Director
from tests.laptop.later import make_later_wheel
from tests.laptop.runs import NOT_INHERITED, all_of, status
from tests.processes import PATIENCE, Process, free_port, until

pytestmark = pytest.mark.long
NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment with the installed program, and the empty home of a user who may not write into the program."""

    folder: Path
    home: Path

    @property
    def command(self) -> Path:
        return self.folder / "venv" / "bin" / "gin-rummy"

    @property
    def data(self) -> Path:
        return self.home / ".local" / "share" / "gin-rummy-tournaments"

    @property
    def environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        inherited.pop("XDG_DATA_HOME", None)
        return {**inherited, "HOME": str(self.home), "READERS": "1", "OPEN_BROWSER": "0"}

    def start(self, *arguments: str, **options: object) -> subprocess.Popen[bytes]:
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        return subprocess.Popen([self.command, *arguments], cwd=self.home, **{**user, **options})  # type: ignore[call-overload]

    @contextmanager
    def running(self, log_name: str, *options: str) -> Iterator[tuple[int, Process]]:
        """Start the site, wait for its first page, and stop the site at the end of the block."""
        port, log_file = free_port(), self.folder / log_name
        with log_file.open("wb") as log:
            environment = {**self.environment, "PORT": str(port)}
            popen = self.start("run", *options, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        run = Process(popen, log_file)
        try:
            until(lambda: status(port) == 200, run)
            yield port, run
        finally:
            popen.terminate()
            popen.wait(timeout=PATIENCE)

    def run(self, *arguments: str, text: str = "") -> str:
        """Run a command of the program, and return its output."""
        process = self.start(*arguments, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        output, _nothing = process.communicate(text.encode(), timeout=PATIENCE)
        assert process.returncode == 0
        return output.decode().strip()


def find_python() -> str:
    """Return an interpreter that the other user may run. One in the home of root is of no use to that user."""
    own = os.path.realpath(sys.executable)
    return "/usr/bin/python3" if own.startswith("/root/") else own


@pytest.fixture(scope="module")
def installed() -> Iterator[Installed]:
    folder = Path(tempfile.mkdtemp(prefix="installed-"))
    folder.chmod(0o755)  # the other user has to read the program
    home = folder / "home"
    home.mkdir()
    if os.getuid() == 0:
        os.chown(home, NOBODY, NOBODY)
    quiet = {"cwd": BASE_DIR, "check": True, "capture_output": True}
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], **quiet)
    [wheel] = folder.glob("*.whl")
    subprocess.run([find_python(), "-m", "venv", "--without-pip", folder / "venv"], **quiet)
    install = [sys.executable, "-m", "uv", "pip", "install", "--python", folder / "venv", "--compile-bytecode"]
    subprocess.run([*install, "-r", "requirements.txt", wheel], **quiet)
    yield Installed(folder, home)
    shutil.rmtree(folder)


@dataclass(frozen=True, slots=True)
class Site:
    port: int
    process: Process
    processor_seconds: float
    """The processor time, in seconds, of all processes until the first page was served."""

    def sign_in(self) -> Director:
        until(lambda: "/sign-in/" in self.process.log(), self.process)
        [path] = re.findall(r"http://[^/]+(/sign-in/\S+)", self.process.log())
        director = Director(self.port)
        director.post(path)
        return director


@pytest.fixture(scope="module")
def site(installed: Installed) -> Iterator[Site]:
    with installed.running("run.log") as (port, run):
        yield Site(port, run, sum(map(_processor_seconds, all_of(run))))


def _processor_seconds(pid: int) -> float:
    """Return the processor time of a process and of its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def record_no_show(director: Director, reason: str) -> str:
    """Record that a player of a demo match did not come, and return the page of the match."""
    event = "/desk/demo-1/singles/"
    matches = sorted(set(re.findall(r"results/[A-Z0-9]+/", director.get(f"{event}results/"))))
    [*_others, match] = [path for path in matches if "without a score card" in director.get(event + path)]
    [*_others, ending] = re.findall(r'value="(no-show:\d+)"', director.get(event + match))
    director.post(event + match, ending=ending, reason=reason, act="record")
    return director.get(event + match)


def test_the_version_and_the_build_are_printed(installed: Installed) -> None:
    assert re.fullmatch(r"gin-rummy \d+\.\d+\.\d+ \(build \S+, \d{4}-\d\d-\d\d\)", installed.run("--version"))


def test_a_command_without_state_answers_as_in_a_checkout(installed: Installed) -> None:
    hand = json.dumps({"hand": "AS 2S 3S 4S 5S 6S 7S 8S 9S KH"})
    manage = [sys.executable, "manage.py", "deadwood"]
    here = subprocess.run(manage, cwd=BASE_DIR, input=hand, capture_output=True, text=True, check=False)
    assert installed.run("deadwood", text=hand) == here.stdout.strip() != ""


def test_the_first_page_needs_less_than_ten_seconds_of_one_processor(site: Site) -> None:
    assert site.processor_seconds < 10


@pytest.mark.parametrize(
    ("folder", "sentence"),
    [
        ("inside", "VAR_DIR names a folder that the next update deletes"),
        ("not writable", "choose another folder:  VAR_DIR=/path/to/folder gin-rummy run"),
    ],
)
def test_it_does_not_start_with_an_unsuitable_data_folder(installed: Installed, folder: str, sentence: str) -> None:
    [program] = (installed.folder / "venv").glob("lib/python3*/site-packages/gin_rummy_tournaments")
    data = program / "data" if folder == "inside" else Path("/dev/null/data")
    environment = {**installed.environment, "VAR_DIR": str(data), "PORT": str(free_port())}
    process = installed.start("run", env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _nothing, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and sentence in said.decode()


def test_data_lies_in_the_user_s_data_folder(site: Site, installed: Installed) -> None:
    assert (installed.data / "db.sqlite3").exists()
    assert f"All data is kept in                   {installed.data}" in site.process.log()


class TestStory:
    """A club tries the demo, goes back to a backup, updates the program, goes back, and removes the program.

    Each test goes on from the one before.
    """

    def test_a_demo_event_is_played_on(self, site: Site, installed: Installed) -> None:
        director = site.sign_in()
        until(lambda: "The demo is loaded." in site.process.log(), site.process)
        installed.run("backup")
        assert "Left for home" in record_no_show(director, "Left for home")
        assert installed.run("verify", "demo-1", "singles")

    def test_the_backup_is_restored(self, site: Site, installed: Installed) -> None:
        newest, *_older = json.loads(installed.run("backup", "--list"))["backups"]
        site.process.popen.terminate()
        site.process.popen.wait(timeout=PATIENCE)
        answer = json.loads(installed.run("restore", newest["file"], "--yes"))
        assert answer["restored"] and "match.decided" in [each["verb"] for each in answer["newest_lost"]]

    def test_the_next_version_starts_from_the_backup_and_plays_on(self, installed: Installed) -> None:
        assert list(installed.data.glob("versions/1.0.0-*/pyvenv.cfg"))
        [wheel] = installed.folder.glob("*.whl")
        install = [sys.executable, "-m", "uv", "pip", "install", "--python", installed.folder / "venv", "--no-deps"]
        subprocess.run([*install, "--compile-bytecode", make_later_wheel(wheel)], check=True, capture_output=True)
        with installed.running("later.log") as (port, run):
            assert "The data of version 1.0.0 is being updated to version 1.1.0." in run.log()
            assert "Left later" in record_no_show(Site(port, run, 0).sign_in(), "Left later")
            assert installed.run("verify", "demo-1", "singles")

    def test_going_back_would_lose_what_was_recorded_since(self, installed: Installed) -> None:
        process = installed.start("run", "--previous", env=installed.environment, stderr=subprocess.PIPE)
        _output, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert "added to the logs since the update" in said.decode() and "Match decided" in said.decode()

    def test_the_previous_version_and_its_data_come_back(self, installed: Installed) -> None:
        with installed.running("previous.log", "--previous", "--yes") as (port, run):
            assert "The data from before the update is back." in run.log()
            assert "Version 1.0.0 of the program is starting." in run.log()
            director = Site(port, run, 0).sign_in()
            assert "Left later" in record_no_show(director, "Left later")

    def test_the_data_stays_if_the_program_is_removed(self, installed: Installed) -> None:
        remove = [sys.executable, "-m", "uv", "pip", "uninstall", "--python", installed.folder / "venv"]
        subprocess.run([*remove, "gin-rummy-tournaments"], check=True, capture_output=True)
        assert not installed.command.exists()
        assert (installed.data / "db.sqlite3").exists() and list((installed.data / "backups").iterdir())
