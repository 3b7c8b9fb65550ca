"""The broker's URLs, in the format that each client library expects.

REDIS_URL is `redis://host:6379` or `unix:///path/to/socket`. If REDIS_URL is not set, this installation runs its own
broker on a Unix socket.
"""

import hashlib
import os
import socket
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit

from config.environment import VAR_DIR

HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")
"""Whether processes can talk over sockets in the file system. On Windows, Python cannot open such sockets."""
MAX_SOCKET_FOLDER_PATH_BYTES = 80
"""The maximum length of the socket folder's path, in bytes. Linux limits a socket's whole path to 107 bytes."""


def make_broker_socket_path() -> Path:
    return make_socket_path("broker.sock")


def make_socket_path(name: str) -> Path:
    """Return the path of a socket under var/, or in a short temporary folder if that path would be too long."""
    if (
        len(os.fsencode(VAR_DIR)) <= MAX_SOCKET_FOLDER_PATH_BYTES
    ):  # ignores the name, so that all sockets are in one folder
        return VAR_DIR / name
    digest = hashlib.sha256(os.fsencode(VAR_DIR)).hexdigest()[:12]
    return Path(tempfile.gettempdir(), f"tournament-{os.getuid()}-{digest}", name)


def find_running_broker() -> str:
    """Return the URL of this installation's own broker, or "" if it is not running."""
    if not HAS_UNIX_SOCKETS:
        return ""
    path = make_broker_socket_path()
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:  # none was started, or it was killed and left its socket behind
            return ""
    return make_socket_url(path)


def make_socket_url(path: Path) -> str:
    return f"unix://{quote(str(path))}"


def make_redis_url(url: str, *, database: int) -> str:
    """Return the URL with the database number added, in the form that redis-py and Django's cache expect."""
    if url.startswith("unix://"):
        return f"{url.partition('?')[0]}?db={database}"
    return urlsplit(url)._replace(path=f"/{database}").geturl()


def make_celery_url(url: str) -> str:
    """Return the URL in the form that Celery expects, with `redis+socket://` for a Unix socket."""
    if url.startswith("unix://"):
        return f"redis+socket://{url.removeprefix('unix://').partition('?')[0]}"
    return url
