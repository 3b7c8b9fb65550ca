"""Start the program's processes as forks of one process that has already imported the program. Linux only.

    python -m tests.devtools.takeover.zygote /path/of/its/socket

A run of `make takeover` starts about twenty processes. Each of them would need two to four seconds of processor time
for its imports, but a fork needs none. A fork gets the arguments, environment, and open files of the process that it
replaces, evaluates the settings with that environment, and then runs the module as `python` does.

As usual, a laptop's processes must be children of its supervisor. The supervisor cannot fork itself for this, because
it has already read the database. Therefore, it sends its orders to its *twin*, a fork that was made before the
supervisor began. The twin forks twice, and the process in between ends, so that the system makes the new process a
child of the supervisor (PR_SET_CHILD_SUBREAPER).
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from config.process import die_with_parent

ROOT: Final = Path(__file__).resolve().parents[3]
MAX_ORDER_BYTES: Final = 200_000
PR_SET_NAME: Final = 15
PR_SET_CHILD_SUBREAPER: Final = 36
IMPORTED: Final = (
    "a2wsgi",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.worker.consumer",
    "config.front.lanes",
    "config.front.memory",
    "django.contrib.staticfiles.management.commands.collectstatic",
    "django.core.management.commands.migrate",
    "django.core.wsgi",
    "django.db.backends.sqlite3.base",
    "granian.cli",
    "kombu.transport.redis",
    "psutil",
    "servestatic",
    "tournament.core.live",
    "tournament.second_laptop.live",
)
"""Modules that do not depend on the environment, and that neither `django.setup` nor the URLs import."""
FROM_ENVIRONMENT: Final = ("config.environment", "config.broker", "config.unready")
"""The only imported modules, besides the settings, that depend on the environment. Each imports only earlier ones."""


@dataclass(frozen=True, slots=True)
class Order:
    """A process to start: the arguments of `python`, and what the process would inherit from its parent."""

    arguments: list[str]
    environment: dict[str, str]
    folder: str
    has_own_session: bool = False


def main(socket_path: str) -> None:
    die_with_parent(signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import_program()
    _adopt_orphans()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(socket_path)
        listener.listen()
        order = _serve(listener)
    twin, twins_order = _fork_twin()
    if twins_order is not None:
        run_python(twins_order)
    elif twin is not None:
        _let_twin_start_processes(twin)
        run_python(order)


def import_program() -> None:
    """Import all modules that do not depend on the environment, and compile all templates."""
    os.environ.update(DJANGO_SETTINGS_MODULE="config.settings", VAR_DIR="/nonexistent")
    import django

    django.setup()
    from django.db import connections
    from django.template.loader import get_template
    from django.urls import resolve

    resolve("/")
    for name in (*IMPORTED, *_list_modules("management.commands"), *_list_modules("tasks")):
        importlib.import_module(name)
    for file in sorted((ROOT / "templates").rglob("*.*")):
        with suppress(Exception):  # not every file is a template
            get_template(str(file.relative_to(ROOT / "templates")))
    connections.close_all()
    gc.collect()
    gc.freeze()


def _list_modules(kind: str) -> list[str]:
    """Return the names of the apps' modules of this kind, such as `tasks`, including the modules in a package."""
    names = []
    for app in ("tournament", "pairing", "scoring"):
        with suppress(ModuleNotFoundError):
            package = importlib.import_module(f"{app}.{kind}")
            names.append(package.__name__)
            names += [
                f"{package.__name__}.{one.name}" for one in pkgutil.iter_modules(getattr(package, "__path__", ()))
            ]
    return names


# --- The zygote, and the twin of each process that it forked ----------------------------------------------------------


def _adopt_orphans() -> None:
    """Make this process the parent of all its descendants whose own parents end."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def _serve(listener: socket.socket) -> Order:
    """Fork a process for each client. Return the client's order in the forked process, and never return in the zygote.

    A client sends the order with three open files. It receives the process ID, and later the return code.
    """
    wakes, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    clients: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([listener, wakes], (), ())
        if wakes in ready:
            with suppress(BlockingIOError):
                os.read(wakes, 1 << 16)
            _reap(clients)
        if listener in ready:
            client, _address = listener.accept()
            try:
                order, files = _receive(client)
            except EOFError:
                client.close()
                continue
            if not (pid := os.fork()):
                for descriptor in (wakes, woken, client.fileno(), *(one.fileno() for one in clients.values())):
                    os.close(descriptor)
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                _take_on(order, files, parent=os.getppid())
                return order
            _close(files)
            clients[pid] = client
            client.send(str(pid).encode())


def _reap(clients: dict[int, socket.socket]) -> None:
    """Collect all processes that have ended, and send their return codes to the clients that ordered them."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = ended
            if client := clients.pop(pid, None):
                with client, suppress(OSError):
                    client.send(str(os.waitstatus_to_exitcode(status)).encode())


def _fork_twin() -> tuple[socket.socket | None, Order | None]:
    """Fork the twin, which forks processes on behalf of this process.

    In this process, return the socket that is connected to the twin. In a process that the twin forked, return its
    order.
    """
    parent = os.getpid()
    _adopt_orphans()
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork():
        there.close()
        return here, None
    here.close()
    die_with_parent(signal.SIGKILL, parent)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):  # or whoever reads the output would wait for the twin, too
        os.dup2(null, descriptor)
    while True:
        try:
            order, files = _receive(there)
        except EOFError:
            os._exit(0)
        if not (between := os.fork()):
            middle = os.getpid()
            if os.fork():
                os._exit(0)
            while (current := os.getppid()) != parent:
                if current != middle:  # the parent was killed in the meantime
                    os._exit(1)
                time.sleep(0.001)
            there.send(str(os.getpid()).encode())  # not before, or the supervisor could ask for a child that it lacks
            there.close()
            _take_on(order, files, parent)
            return None, order
        os.waitpid(between, 0)
        _close(files)


def _receive(client: socket.socket) -> tuple[Order, list[int]]:
    message, files, _flags, _address = socket.recv_fds(client, MAX_ORDER_BYTES, 3)
    if not message:
        raise EOFError
    return Order(**json.loads(message)), files


def send_order(to: socket.socket, order: Order, files: Sequence[int]) -> int:
    """Make the process at the other end of the socket fork a new process, and return the new process ID.

    `files` are the new process's standard input, output, and error.
    """
    socket.send_fds(to, [json.dumps(asdict(order)).encode()], files)
    return int(to.recv(100))


def _close(files: Sequence[int]) -> None:
    for descriptor in files:
        os.close(descriptor)


# --- The forked process -----------------------------------------------------------------------------------------------


def _take_on(order: Order, files: Sequence[int], parent: int) -> None:
    """Give this process the session, files, folder, and environment in the order."""
    if order.has_own_session:
        os.setsid()
    die_with_parent(signal.SIGKILL, parent)
    for descriptor, file in enumerate(files):
        os.dup2(file, descriptor)
    _close(files)
    os.chdir(order.folder)
    os.environ.clear()
    os.environ.update(order.environment)
    for stream in (sys.stdout, sys.stderr):
        assert hasattr(stream, "reconfigure")
        stream.reconfigure(line_buffering=True)


def run_python(order: Order) -> None:
    """Run a module, a code string, or a file in this process, as `python` does."""
    forget_settings()
    _name_process(" ".join(order.arguments).removeprefix("-m "))
    first, *rest = order.arguments
    if first == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        exec(rest[0], {"__name__": "__main__"})
    else:
        sys.argv = order.arguments
        runpy.run_path(first, run_name="__main__")


def _name_process(name: str) -> None:
    """Set the name that `top` shows for this process. The system truncates it to 15 characters."""
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())


def forget_settings() -> None:
    """Discard Django's settings, so that the next use evaluates them with this process's environment."""
    from django.conf import settings
    from django.core.cache import caches
    from django.db import connections
    from django.utils.functional import empty

    for name in FROM_ENVIRONMENT:
        importlib.reload(importlib.import_module(name))
    sys.modules.pop("config.settings", None)
    settings.__dict__.clear()
    settings._wrapped = empty
    for handler in (connections, caches):
        for alias in [*handler.settings] if "settings" in handler.__dict__ else ():
            with suppress(AttributeError):
                del handler[alias]
        handler._settings = None
        handler.__dict__.pop("settings", None)


def _let_twin_start_processes(twin: socket.socket) -> None:
    """Patch `subprocess` so that the twin starts every Python process that this process starts."""
    execute = subprocess.Popen._execute_child  # type: ignore[attr-defined]

    def fork_instead(self: Any, args: Any, executable: Any, *rest: Any) -> None:
        _preexec_fn, _close_fds, _pass_fds, cwd, env, _info, _flags, shell, *pipes = rest
        if shell or args[0] != sys.executable:
            execute(self, args, executable, *rest)
            return
        has_own_session = bool(pipes[11])
        files = [own if own != -1 else number for number, own in enumerate((pipes[0], pipes[3], pipes[5]))]
        order = Order(list(args[1:]), dict(env or os.environ), str(cwd or os.getcwd()), has_own_session)
        self.pid = send_order(twin, order, files)
        self._child_created = True
        self._close_pipe_fds(*pipes[:6])

    subprocess.Popen._execute_child = fork_instead  # type: ignore[attr-defined]


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception:
        traceback.print_exc()
        sys.exit(1)
