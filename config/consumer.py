"""A Celery consumer that reconnects quickly after a broker outage."""

import warnings
from functools import partial
from typing import Any

from celery.exceptions import CPendingDeprecationWarning
from celery.worker.consumer import Consumer

# A job continues while the broker is away and is marked as done in its row, although Celery warns that it may not be.
warnings.simplefilter("ignore", CPendingDeprecationWarning)


class ReconnectingConsumer(Consumer):
    """A consumer that tries to reconnect to the broker every two seconds, without a limit.

    Celery's own consumer waits longer after each failed attempt.
    """

    def ensure_connected(self, conn: Any) -> Any:
        conn.ensure_connection = partial(conn.ensure_connection, interval_step=0)
        return super().ensure_connected(conn)
