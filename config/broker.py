"""Where the broker of this installation is, and how one Redis address is spelled for those who use it.

REDIS_URL is `redis://host:6379` or `unix:///path/to/socket`; without it a broker runs on a socket of its own.
"""

import hashlib
import os
import socket
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit

from config.environment import VAR_DIR

LONGEST_FOLDER = 80
"""In bytes, with room for a name; the system's own limit is 108 for both, closing zero included."""


def broker_socket() -> Path:
    return socket_path("broker.sock")


def socket_path(name: str) -> Path:
    """A socket of this installation: under var/, or where that path is too long in a short one."""
    if len(os.fsencode(VAR_DIR)) <= LONGEST_FOLDER:  # any name: all of them lie in one folder
        return VAR_DIR / name
    digest = hashlib.sha256(os.fsencode(VAR_DIR)).hexdigest()[:12]
    return Path(tempfile.gettempdir(), f"tournament-{os.getuid()}-{digest}", name)


def running_broker() -> str:
    """The address of this installation's own broker, or nothing while none is at the socket."""
    path = broker_socket()
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:  # none was started, or it was killed and left its socket
            return ""
    return socket_location(path)


def socket_location(path: Path) -> str:
    return f"unix://{quote(str(path))}"


def redis_location(url: str, *, database: int) -> str:
    """The address for redis-py and Django's cache, with its database number."""
    if url.startswith("unix://"):
        return f"{url.partition('?')[0]}?db={database}"
    return urlsplit(url)._replace(path=f"/{database}").geturl()


def celery_location(url: str) -> str:
    """The address for Celery, which calls a Unix socket `redis+socket://`."""
    if url.startswith("unix://"):
        return f"redis+socket://{url.removeprefix('unix://').partition('?')[0]}"
    return url
