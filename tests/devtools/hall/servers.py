"""Start several servers with a shared Redis and PostgreSQL. PostgreSQL can be stopped.

PostgreSQL must be installed on the system (`apt-get install postgresql`). Redis is the system's, or else the broker in
the requirements. Both listen on sockets in the run's folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from laptop.broker import wait_for_broker
from tests.devtools.hall.site import ROOT, Site, environment_of, serving

BINARIES: Final = "/usr/lib/postgresql/*/bin/pg_ctl"


@dataclass(frozen=True)
class Postgres:
    folder: Path
    pg_ctl: Path

    @property
    def url(self) -> str:
        return f"postgres:///hall?host={self.folder}&user=hall"

    def start(self) -> None:
        listen = f"-c listen_addresses='' -k {self.folder}"
        self._run("pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log", "-o", listen, "start")

    def stop(self, how: str = "fast") -> None:
        self._run("pg_ctl", "-D", self.folder / "data", "-w", "-m", how, "stop")

    def create(self) -> None:
        self._run("initdb", "-D", self.folder / "data", "-U", "hall", "-A", "trust", "-E", "UTF8")
        self.start()
        self._run("createdb", "-h", self.folder, "-U", "hall", "hall")

    def _run(self, program: str, *arguments: str | Path) -> None:
        """Run one of PostgreSQL's programs as the user `nobody`, because they refuse to run as root."""
        nobody = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"] if os.geteuid() == 0 else []
        command = [*nobody, self.pg_ctl.with_name(program), *arguments]
        subprocess.run(command, cwd="/tmp", check=True, stdout=subprocess.DEVNULL)


@contextmanager
def shared_services(folder: Path) -> Iterator[Postgres]:
    """Start PostgreSQL and Redis, and put their URLs in the environment, which the sites inherit."""
    found = sorted(Path("/").glob(BINARIES.lstrip("/")))
    if not found:
        sys.exit("Several servers share PostgreSQL, which is not installed: apt-get install postgresql")
    folder.mkdir(mode=0o700)
    folder.parent.chmod(0o755)
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
    postgres = Postgres(folder, found[-1])
    postgres.create()
    try:
        with _redis(folder) as url:
            os.environ.update(DATABASE_URL=postgres.url, REDIS_URL=url, CACHE_PREFIX="hall")
            yield postgres
    finally:
        for name in ("DATABASE_URL", "REDIS_URL", "CACHE_PREFIX"):
            os.environ.pop(name, None)
        postgres.stop("immediate")


@contextmanager
def _redis(folder: Path) -> Iterator[str]:
    program, socket = shutil.which("redis-server"), folder / "redis.sock"
    if program is None:
        command = [sys.executable, "-m", "laptop.broker"]
        socket, environment = folder.parent / "redis" / "broker.sock", environment_of(folder.parent / "redis")
    else:
        command, environment = [program, "--port", "0", "--unixsocket", str(socket), "--save", ""], dict(os.environ)
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        if not wait_for_broker(f"unix://{socket}"):
            raise RuntimeError("Redis did not start.")
        yield f"unix://{socket}"
    finally:
        process.terminate()
        process.wait(timeout=20)


@contextmanager
def further_servers(first: Site, count: int) -> Iterator[list[Site]]:
    """Start more servers with their own folders, but with the first server's services and secrets."""
    with ExitStack() as stack:
        others = []
        for number in range(2, count + 2):
            folder = first.folder.with_name(f"server-{number}")
            folder.mkdir()
            shutil.copy(first.folder / "secrets.env", folder)
            others.append(stack.enter_context(serving(folder, first.known)))
        yield others


def restart(postgres: Postgres, away: float) -> None:
    """Stop PostgreSQL as a service manager does, wait `away` seconds, and start it again."""
    postgres.stop()
    time.sleep(away)
    postgres.start()
