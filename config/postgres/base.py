"""A connection is tried when it leaves the pool. Where one is dead, the server was restarted, and all others are dead.

The check of `psycopg_pool` (`CONN_HEALTH_CHECKS`) finds dead connections one by one, and waits a second, then two, then
four between them: after a restart the first pages would wait, or be refused.
"""

from typing import Any

from django.db.backends.postgresql import base
from psycopg import Error


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        if self.pool and not _answers(connection):
            self.pool.putconn(connection)
            self.pool.drain()
            connection = super().get_new_connection(conn_params)
        return connection


def _answers(connection: Any) -> bool:
    try:
        connection.execute("")
    except Error:
        return False
    return True
