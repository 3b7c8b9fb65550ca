#!/usr/bin/env python
import os
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


def main(names: Mapping[str, str] = MappingProxyType({})) -> None:
    """Run the command in `sys.argv`. `names` maps other names to commands. A command's help shows the typed name."""
    from config import stateless

    name = names.get(sys.argv[1], sys.argv[1]) if sys.argv[1:] else ""
    if name in stateless.STATELESS_COMMANDS | stateless.FILE_READING_COMMANDS:
        stateless.run_stateless_command(name, sys.argv)
        return
    from config.process import die_with_supervisor

    die_with_supervisor()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("DB_POOL", "0")
    from django.core.management import ManagementUtility

    from config.unready import exit_on_known_startup_error

    class Utility(ManagementUtility):
        def fetch_command(self, subcommand: str) -> Any:
            return super().fetch_command(names.get(subcommand, subcommand))

    with exit_on_known_startup_error():
        if sys.argv[1:2] == ["runserver"]:
            _ask_database()
        Utility(sys.argv).execute()


def _ask_database() -> None:
    """Connect to the database, so that an error is reported before Django's development server starts.

    The development server itself connects in a separate thread, where `main` could not catch the error.
    """
    import django
    from django.db import connection

    django.setup()
    connection.ensure_connection()


if __name__ == "__main__":
    main()
