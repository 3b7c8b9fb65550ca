"""A Celery consumer that reconnects quickly after a broker outage, and lets tasks run meanwhile."""

import os
import subprocess
import sys
import time
import warnings
from typing import Any, Final

from celery.exceptions import CPendingDeprecationWarning
from celery.worker.consumer import Consumer

from config.environment import BASE_DIR
from config.process import SUPERVISOR_VARIABLE

OUTAGE_PATIENCE_S: Final = 5.0
"""Seconds without a broker after which another process runs the tasks. A broker that restarts is back earlier."""

# A job continues while the broker is away and is marked as done in its row, although Celery warns that it may not be.
warnings.simplefilter("ignore", CPendingDeprecationWarning)


class ReconnectingConsumer(Consumer):
    """A consumer that tries to reconnect to the broker every two seconds, without a limit.

    Celery's own consumer waits longer after each failed attempt. While the broker is away, a worker without a broker
    (`config.worker`) takes over. It ends by itself once the broker answers.
    """

    _substitute: subprocess.Popen[bytes] | None = None

    def ensure_connected(self, conn: Any) -> Any:
        ensure_connection, began = conn.ensure_connection, time.monotonic()

        def retry_forever(report: Any, *arguments: Any, **options: Any) -> Any:
            def handle_failure(error: Exception, interval: float) -> None:
                if time.monotonic() - began > OUTAGE_PATIENCE_S:
                    self._start_substitute()
                report(error, interval)

            return ensure_connection(handle_failure, *arguments, **options, interval_step=0)

        conn.ensure_connection = retry_forever
        return super().ensure_connected(conn)

    def _start_substitute(self) -> None:
        if self._substitute is None or self._substitute.poll() is not None:
            self._substitute = subprocess.Popen(
                [sys.executable, "-m", "config.worker", "--until-broker-answers"],
                cwd=BASE_DIR,
                env={**os.environ, SUPERVISOR_VARIABLE: str(os.getpid())},
            )
