"""Check each connection taken from the pool. If one is dead, the server was restarted, so drop all the others, too.

The built-in check of `psycopg_pool` (`CONN_HEALTH_CHECKS`) finds dead connections one at a time, with pauses of one,
two, four seconds and so on. After a restart the first pages would time out. The pool's reconnect attempts have the same
growing pauses, so this wrapper retries every second.
"""

import time
from typing import Any, Final

from django.db.backends.postgresql import base
from psycopg import Error
from psycopg_pool import PoolTimeout

CONNECT_TIMEOUT_S: Final = 5.0
"""Seconds that a page waits for a connection. It is long enough for a PostgreSQL restart."""


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        until = time.monotonic() + CONNECT_TIMEOUT_S
        while True:
            try:
                connection = super().get_new_connection(conn_params)
            except PoolTimeout:
                if time.monotonic() >= until:
                    raise
                continue
            if not self.pool or _is_alive(connection):
                return connection
            self.pool.putconn(connection)
            self.pool.drain()


def _is_alive(connection: Any) -> bool:
    try:
        connection.execute("")
    except Error:
        return False
    return True
