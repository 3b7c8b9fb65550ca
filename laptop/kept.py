"""Prepare the stored data before the processes start, and print how to sign in."""

import os
import sys
from pathlib import Path
from typing import Any

from laptop.prepare import ignore_unwritable, migrated_database


def prepare_data() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    connection.settings_dict["OPTIONS"].pop("pool", None)  # a pool would wait long for a database that is away
    str(settings.SECRET_KEY)  # generated before any process needs it
    _create_tables(connection)
    from tournament.core.services.secrets import refuse_other_secrets

    refuse_other_secrets()
    if settings.STATIC_IS_COLLECTED:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)


def _create_tables(connection: Any) -> None:
    """Copy a new SQLite file from the one that `make prepare` made, and migrate the database if needed."""
    from django.core.management import call_command
    from django.db.migrations.executor import MigrationExecutor

    file = Path(str(connection.settings_dict["NAME"]))
    if connection.vendor == "sqlite" and "DATABASE_URL" not in os.environ and not file.exists():
        with ignore_unwritable():
            migrated_database(Path(sys.executable)).copy_to(file)
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)


def print_sign_in_link(site: str, *, demo: bool) -> bool:
    """Print a link to sign in by, and return whether a demo is still to be loaded."""
    from django.core.management import call_command
    from django.db import connections

    from tournament.core.selectors.events import loading_demo
    from tournament.models import Tournament

    if demo:
        call_command("load_demo", site=site, begin=True)
    if not demo or not Tournament.objects.filter(is_demo=True).exists():
        call_command("sign_in_link", first=True, site=site)
    loads = loading_demo() is not None  # regardless of DEMO, because the pages of a begun demo say that it is loading
    connections.close_all()
    return loads
