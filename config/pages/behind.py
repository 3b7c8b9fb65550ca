"""What a page process serves behind `config.front.lanes`: Django, told by the process before it who asks and how."""

import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable
from typing import Any, Final

from config.process import end_with_parent

_main = multiprocessing.parent_process()
if _main is not None:  # a worker of granian, which may be killed alone; what follows takes seconds
    end_with_parent(signal.SIGKILL, parent=_main.pid or 0)

from django.urls import resolve  # noqa: E402

from config.pages.page_process import NOT_YET, OPENS, TAKES_TURNS  # noqa: E402
from config.wsgi import pages  # noqa: E402

YOUNG: Final = 20_000
"""Objects after which Python looks for those that only each other keep; a page of a full event makes thousands."""

resolve("/")  # imports all pages, which are then here to stay: they are not walked through again and again
gc.freeze()
gc.set_threshold(YOUNG, 20, 20)
sys.setswitchinterval(float(os.environ.get(TAKES_TURNS, sys.getswitchinterval())))

if _main is not None:
    os.replace(os.environ[OPENS], os.environ[OPENS].removesuffix(NOT_YET))


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    environ["REMOTE_ADDR"] = environ.pop("HTTP_X_BEFORE_CLIENT", "")
    environ["wsgi.url_scheme"] = environ.pop("HTTP_X_BEFORE_SCHEME", "http")
    return pages(environ, start_response)
