"""Provide PostgreSQL databases for processes that tests start. These tests need the marker `postgres`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
from django.db import connection


@contextmanager
def copied_database(name: str) -> Iterator[str]:
    """Copy the test database, which has tables but no rows, and yield the URL of the copy. Drop the copy at the end."""
    template = connection.settings_dict["NAME"]
    connection.close()
    connection.close_pool()  # a database with open connections cannot be copied
    parts = urlsplit(os.environ["DATABASE_URL"])
    with psycopg.connect(os.environ["DATABASE_URL"], dbname="postgres", autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        server.execute(f'CREATE DATABASE {name} TEMPLATE "{template}"')
        try:
            yield f"{parts.scheme}://{parts.netloc}/{name}?{parts.query}"
        finally:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
