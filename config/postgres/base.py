"""Test each connection that leaves the pool. If one is dead, the server was restarted, so all others are dropped, too.

The check of `psycopg_pool` (`CONN_HEALTH_CHECKS`) finds dead connections one by one and waits one second, two, four
and so on in between. After a restart the first pages would wait or be refused. The pool waits as long between two
tries to connect, so this wrapper asks it again every second.
"""

import time
from typing import Any, Final

from django.db.backends.postgresql import base
from psycopg import Error
from psycopg_pool import PoolTimeout

PATIENCE: Final = 5.0
"""Seconds that a page waits for a connection, enough for a restart of PostgreSQL."""


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                connection = super().get_new_connection(conn_params)
            except PoolTimeout:
                if time.monotonic() >= until:
                    raise
                continue
            if not self.pool or _answers(connection):
                return connection
            self.pool.putconn(connection)
            self.pool.drain()


def _answers(connection: Any) -> bool:
    try:
        connection.execute("")
    except Error:
        return False
    return True
