"""Install, use, upgrade, remove, and purge the Debian package on a bare Debian 12 in a container with its own systemd.

python -m tests.devtools.debian_package       as root, on Debian 12. `make test-long` runs it.

The container has no network except its own loopback device. The script prints a line for each step, and ends with an
error at the first step that fails.
"""

import argparse
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.laptop.director import Director
from tournament import __version__

ROOT: Final = Path(__file__).resolve().parents[2]
TOOLS: Final = {
    "mmdebstrap": "mmdebstrap",
    "systemd-nspawn": "systemd-container",
    "lintian": "lintian",
    "dh": "debhelper",
}
DEPENDENCIES: Final = ("adduser", "python3", "python3.11", "libstdc++6")
"""Packages that the program's package needs. They are downloaded in advance, because the container has no network."""
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gin-rummy-tests" / "bookworm.tar"
MAX_CACHE_AGE_S: Final = 14 * 24 * 3600
PATIENCE_S: Final = 300
MAX_EXPOSURE: Final = 30
"""The highest exposure of a service in `systemd-analyze security`, in tenths. The scale ends at 100."""
SETUP: Final = {
    "name": "Gin Club",
    "time_zone": "America/Phoenix",
    "your_name": "Dora Director",
    "password": "knock with ten",
    "password_again": "knock with ten",
}
TOURNAMENT: Final = {
    "name": "Desert Classic",
    "slug": "desert-classic",
    "venue": "Hall",
    "starts_on": "2026-11-27",
    "ends_on": "2026-11-29",
    "time_zone": "America/Phoenix",
    "currency": "USD",
}


class Machine:
    """A container that boots Debian from a folder."""

    def __init__(self, folder: Path) -> None:
        self.root, self._log = folder / "root", folder / "console.log"
        self.root.mkdir()
        subprocess.run(["tar", "-xf", CACHE, "-C", self.root], check=True)
        self._container: subprocess.Popen[bytes] | None = None

    def boot(self) -> None:
        boot = ["systemd-nspawn", "--quiet", "--boot", "--private-network", "--register=no", "--keep-unit"]
        with self._log.open("ab") as log:
            self._container = subprocess.Popen(
                [*boot, f"--machine=gin-{os.getpid()}", "--console=pipe", "-D", self.root],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        _wait_until(lambda: self._find_init() != "", "the container has started")
        _wait_until(lambda: self.run("systemctl", "is-system-running", check=False) == "running", "Debian has booted")
        self._enter_network()

    def cut_power(self) -> None:
        """Kill all processes of the machine at once."""
        assert self._container is not None
        os.kill(int(self._find_init()), 9)
        self._container.wait()

    def run(self, *command: str, check: bool = True) -> str:
        """Run a command in the machine as root, and return what it printed."""
        environment = [
            "env",
            "-i",
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME=/root",
            "DEBIAN_FRONTEND=noninteractive",
        ]
        enter = ["nsenter", "--target", self._find_init(), "--mount", "--uts", "--ipc", "--pid", "--net", "--cgroup"]
        full = [*enter, "--root", "--wd", *environment, *command]
        done = subprocess.run(full, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if check and done.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        return (done.stdout + done.stderr).strip()

    def _find_init(self) -> str:
        assert self._container is not None
        children = Path(f"/proc/{self._container.pid}/task/{self._container.pid}/children")
        return children.read_text().split(" ")[0] if children.exists() else ""

    def _enter_network(self) -> None:
        """Let this process use the machine's network, so that it can request pages from the site."""
        with open(f"/proc/{self._find_init()}/ns/net", "rb") as network:
            if ctypes.CDLL(None, use_errno=True).setns(network.fileno(), 0):
                sys.exit(f"The network of the container cannot be used: {os.strerror(ctypes.get_errno())}")

    # --- The program on this machine ---

    def install(self, package: Path) -> None:
        shutil.copy(package, self.root / "root" / package.name)
        self.run("apt-get", "install", "--yes", "--no-install-recommends", f"/root/{package.name}")

    def is_active(self) -> bool:
        return self.run("systemctl", "is-active", "gin-rummy", check=False) == "active"

    def has_path(self, path: str) -> bool:
        return (self.root / path.lstrip("/")).exists()

    def has_user(self) -> bool:
        return "gin-rummy:" in (self.root / "etc" / "passwd").read_text()


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    missing = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    if os.getuid() or missing or not Path("/usr/bin/python3.11").exists():
        needed = f" with the packages {', '.join(missing)}" if missing else ""
        print(f"The trial of the Debian package is left out, because it needs root on Debian 12{needed}.")
        return
    with tempfile.TemporaryDirectory(prefix="debian-trial-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        first, second = _build_packages(folder)
        _download_debian()
        machine = Machine(folder)
        machine.boot()
        try:
            _try_package(machine, first, second)
        finally:
            machine.cut_power()
    _report("everything is as it should be")


def _build_packages(folder: Path) -> tuple[Path, Path]:
    """Build this version and a later one, and check the packages with lintian."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=ROOT, check=True, capture_output=True
    )
    packages = []
    for version in (__version__, f"{__version__}+trial"):
        build = [sys.executable, "-m", "laptop.deb", "--fast", "--version", version, "--to", folder]
        done = subprocess.run(build, cwd=ROOT, check=False, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        packages.append(Path(done.stdout.splitlines()[-1]))
        _report(f"built {packages[-1].name}")
    lintian = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", packages[0]], check=False)
    _require(lintian.returncode == 0, "lintian finds no error")
    return packages[0], packages[1]


def _download_debian() -> None:
    """Make a bare Debian 12 with systemd, and keep it for the next trial."""
    if CACHE.exists() and time.time() - CACHE.stat().st_mtime < MAX_CACHE_AGE_S:
        return
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    download = f'chroot "$1" apt-get install --yes --download-only {" ".join(DEPENDENCIES)}'
    partial = CACHE.with_name("partial.tar")
    subprocess.run(
        [
            *("mmdebstrap", "--quiet", "--variant=minbase", "--include=systemd-sysv,dbus"),
            *("--skip=cleanup/apt", f"--customize-hook={download}", "bookworm", partial),
        ],
        check=True,
    )
    partial.replace(CACHE)
    _report("downloaded a bare Debian 12")


def _try_package(machine: Machine, first: Path, second: Path) -> None:
    machine.install(first)
    _require(machine.is_active(), "the site is running as soon as the package is installed")
    for unit in ("gin-rummy", "gin-rummy-backup"):
        machine.run("systemd-analyze", "security", f"--threshold={MAX_EXPOSURE}", f"{unit}.service")
        _report(f"{unit}.service is sandboxed")
    director = _set_up(machine, 8000)
    director.post("/desk/new/", **TOURNAMENT)
    _require("Desert Classic" in director.get("/desk/"), "the director has set up the program and made a tournament")
    _try_failures(machine)
    _require("Desert Classic" in _read_home_page(8000), "the tournament is there after each of them")

    machine.run("systemctl", "start", "gin-rummy-backup.service")
    _require(any((machine.root / "var/lib/gin-rummy/backups").iterdir()), "the daily backup makes a backup")
    _require("gin-rummy-backup.timer" in machine.run("systemctl", "list-timers"), "the daily backup has a timer")

    settings = machine.root / "etc/default/gin-rummy"
    settings.write_text(settings.read_text().replace("#PORT=8000", "PORT=80"))
    machine.install(second)
    version = machine.run("gin-rummy", "--version")
    _require("Desert Classic" in _read_home_page(80), f"the upgrade keeps data and settings ({version})")
    _require(
        "http://127.0.0.1:80/" in machine.run("gin-rummy", "sign-in-link", "--first"),
        "the address for signing in names the port",
    )

    machine.run("apt-get", "remove", "--yes", "gin-rummy")
    _require(not machine.is_active() and not machine.has_path("/usr/lib/gin-rummy"), "the program is removed")
    _require(machine.has_path("/var/lib/gin-rummy/db.sqlite3") and machine.has_user(), "the data is kept")
    said = machine.run("apt-get", "purge", "--yes", "gin-rummy")
    _require("still in /var/lib/gin-rummy" in said, "a purge without an answer names the folder with the data")
    _require(machine.has_path("/var/lib/gin-rummy/db.sqlite3") and machine.has_user(), "and keeps the data")
    _require(not machine.has_path("/etc/default/gin-rummy"), "but not the settings")

    machine.install(second)
    _require("Desert Classic" in _read_home_page(8000), "a new installation finds the data")
    answer = "gin-rummy gin-rummy/delete-data boolean true"
    machine.run("sh", "-c", f"echo {answer} | debconf-set-selections")
    machine.run("apt-get", "purge", "--yes", "gin-rummy")
    left = machine.run("find", "/etc", "/usr", "/var", "-xdev", "-name", "*gin-rummy*", "-not", "-path", "/var/cache/*")
    _require(left == "" and not machine.has_user(), f"a purge with the answer yes leaves nothing {left}")


def _try_failures(machine: Machine) -> None:
    """Kill the program, freeze it, and cut the power. The site has to come back each time."""
    machine.run("sh", "-c", f"kill -9 {_find_main_process(machine)}")
    _wait_for_restart(machine, "the program is started again after a crash")

    machine.run("mkdir", "-p", "/run/systemd/system/gin-rummy.service.d")
    machine.run(
        "sh", "-c", "printf '[Service]\\nWatchdogSec=10\\n' >/run/systemd/system/gin-rummy.service.d/trial.conf"
    )
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "gin-rummy")
    machine.run("sh", "-c", f"kill -STOP {_find_main_process(machine)}")
    _wait_for_restart(machine, "the watchdog starts a frozen program again")

    machine.cut_power()
    machine.boot()
    _wait_until(machine.is_active, "the site is running after a power cut")


def _find_main_process(machine: Machine) -> str:
    return machine.run("systemctl", "show", "--property=MainPID", "--value", "gin-rummy")


def _wait_for_restart(machine: Machine, fact: str) -> None:
    restarts = ["systemctl", "show", "--property=NRestarts", "--value", "gin-rummy"]
    _wait_until(lambda: machine.run(*restarts) == "1" and machine.is_active(), fact)


def _set_up(machine: Machine, port: int) -> Director:
    [path] = re.findall(r"http://[^/]+(/first-start/\S+)", machine.run("gin-rummy", "sign-in-link", "--first"))
    director = Director(port)
    director.post(path, **SETUP)
    return director


def _read_home_page(port: int) -> str:
    try:
        return Director(port).get("/")
    except urllib.error.URLError as error:
        return str(error)


def _wait_until(happened: Callable[[], bool], fact: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        if time.monotonic() > deadline:
            sys.exit(f"NOT: {fact}")
        time.sleep(0.5)
    _report(fact)


def _require(is_so: bool, fact: str) -> None:
    if not is_so:
        sys.exit(f"NOT: {fact}")
    _report(fact)


def _report(fact: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {fact}", flush=True)


if __name__ == "__main__":
    main()
