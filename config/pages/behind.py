"""The WSGI application of a page process. `config.front.lanes` forwards requests to it.

The front process sends the client's address and the scheme in headers.
"""

import multiprocessing
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from config.process import KILL_SIGNAL, die_with_parent

_main = multiprocessing.parent_process()
if _main is not None:  # granian may be killed without this worker, and what follows takes seconds
    die_with_parent(KILL_SIGNAL, parent=_main.pid or 0)

from django.urls import resolve  # noqa: E402

from config.pages.page_process import (  # noqa: E402
    SOCKET_VARIABLE,
    STARTING_SUFFIX,
    SWITCH_INTERVAL_VARIABLE,
    reduce_garbage_collection,
    schedule_garbage_collection,
)
from config.wsgi import django_app  # noqa: E402
from tournament.core.selectors.request_ids import request_id  # noqa: E402

resolve("/")  # imports all pages before `reduce_garbage_collection` excludes them from garbage collection
reduce_garbage_collection()
sys.setswitchinterval(float(os.environ.get(SWITCH_INTERVAL_VARIABLE, sys.getswitchinterval())))

if _main is not None:
    schedule_garbage_collection()
    multiprocessing.current_process().name = Path(os.environ[SOCKET_VARIABLE]).name.partition(".")[0]  # in log lines
    os.replace(os.environ[SOCKET_VARIABLE], os.environ[SOCKET_VARIABLE].removesuffix(STARTING_SUFFIX))


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    request_id.set(environ.get("HTTP_X_REQUEST_ID", ""))
    environ["REMOTE_ADDR"] = environ.pop("HTTP_X_BEFORE_CLIENT", "")
    environ["wsgi.url_scheme"] = environ.pop("HTTP_X_BEFORE_SCHEME", "http")
    return django_app(environ, start_response)
