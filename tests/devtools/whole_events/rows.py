"""A digest of all rows of the program's own tables: what was refused has changed none of them."""

from __future__ import annotations

import hashlib

from django.apps import apps
from django.db import connection

OURS = ("tournament", "pairing", "scoring")


def rows_digests() -> dict[str, str]:
    """By table; the order of the rows plays no part."""
    found: dict[str, str] = {}
    with connection.cursor() as cursor:
        for model in (
            model for app in OURS for model in apps.get_app_config(app).get_models(include_auto_created=True)
        ):
            table = model._meta.db_table
            cursor.execute(f'SELECT * FROM "{table}"')
            digest = hashlib.sha256()
            for row in sorted(repr(row) for row in cursor.fetchall()):
                digest.update(row.encode())
            found[table] = digest.hexdigest()
    return found


def tables_that_differ(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return sorted(table for table in after if before.get(table) != after[table])
