"""What is kept, made ready before the processes start: secrets, tables, static files; and how somebody signs in."""

import os
import sys
from pathlib import Path
from typing import Any

from laptop import ready_made


def prepare() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    connection.settings_dict["OPTIONS"].pop("pool", None)  # it would wait long for a database that is away
    str(settings.SECRET_KEY)  # made now, so that no two processes have to
    _lay_tables(connection)
    from tournament.core.services.secrets import refuse_other_secrets

    refuse_other_secrets()
    if settings.STATIC_IS_COLLECTED:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)


def _lay_tables(connection: Any) -> None:
    """A new file is a copy of the one that `make prepare` made; what it lacks, and any other database, is migrated."""
    from django.core.management import call_command
    from django.db.migrations.executor import MigrationExecutor

    file = Path(str(connection.settings_dict["NAME"]))
    if connection.vendor == "sqlite" and "DATABASE_URL" not in os.environ and not file.exists():
        with ready_made.not_at_hand():
            ready_made.database(Path(sys.executable)).lay(file)
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)


def say_how_to_begin(site: str, *, demo: bool) -> bool:
    """Print where to look and a link to sign in by; whether there is a demo that is still to be loaded."""
    from django.core.management import call_command
    from django.db import connections

    from tournament.core.selectors.demo import loading_demo
    from tournament.models import Tournament

    if demo:
        call_command("load_demo", site=site, begin=True)
    if not demo or not Tournament.objects.filter(is_demo=True).exists():
        call_command("sign_in_link", first=True, site=site)
    loads = loading_demo() is not None  # no matter what DEMO says now: its pages say that it is loading
    connections.close_all()
    return loads
