"""A Celery consumer that reconnects quickly after a broker outage, and has tasks run in the meantime."""

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

OUTAGE_WORKER_DELAY_S: Final = 5.0
"""Seconds without a broker before another worker is started. A broker that only restarts is back sooner."""

# A job continues while the broker is away and is marked as done in its row, although Celery warns that it may not be.
warnings.simplefilter("ignore", CPendingDeprecationWarning)


class ReconnectingConsumer(Consumer):
    """A consumer that tries to reconnect to the broker every two seconds, without a limit.

    Celery's own consumer waits longer after each failed attempt. During an outage, a worker that needs no broker
    (`config.worker`) runs the tasks. It exits once the broker answers.
    """

    _outage_worker: subprocess.Popen[bytes] | None = None

    def ensure_connected(self, conn: Any) -> Any:
        ensure_connection, began = conn.ensure_connection, time.monotonic()

        def retry_forever(report: Any, *arguments: Any, **options: Any) -> Any:
            def handle_failure(error: Exception, interval: float) -> None:
                if time.monotonic() - began > OUTAGE_WORKER_DELAY_S:
                    self._start_outage_worker()
                report(error, interval)

            return ensure_connection(handle_failure, *arguments, **options, interval_step=0)

        conn.ensure_connection = retry_forever
        return super().ensure_connected(conn)

    def _start_outage_worker(self) -> None:
        if self._outage_worker is None or self._outage_worker.poll() is not None:
            self._outage_worker = subprocess.Popen(
                [sys.executable, "-m", "config.worker", "--until-broker-answers"],
                cwd=BASE_DIR,
                env={**os.environ, SUPERVISOR_VARIABLE: str(os.getpid())},
            )
