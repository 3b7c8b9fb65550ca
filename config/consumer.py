"""How the worker waits for a broker that is away."""

import warnings
from functools import partial
from typing import Any

from celery.exceptions import CPendingDeprecationWarning
from celery.worker.consumer import Consumer

# A job goes on while the broker is away, and its row says that it is done; Celery warns each time that it may not.
warnings.simplefilter("ignore", CPendingDeprecationWarning)


class PatientConsumer(Consumer):
    """Asks for a lost broker every two seconds for as long as it takes; Celery's own asks less and less often."""

    def ensure_connected(self, conn: Any) -> Any:
        conn.ensure_connection = partial(conn.ensure_connection, interval_step=0)
        return super().ensure_connected(conn)
