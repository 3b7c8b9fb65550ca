#!/usr/bin/env python
import os
import sys


def main() -> None:
    from config import stateless

    if sys.argv[1:] and sys.argv[1] in stateless.STATELESS_COMMANDS | stateless.FILE_READING_COMMANDS:
        stateless.run_stateless_command(sys.argv)
        return
    from config.process import die_with_supervisor

    die_with_supervisor()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("DB_POOL", "0")
    from django.core.management import execute_from_command_line

    from config.unready import exit_on_known_startup_error

    with exit_on_known_startup_error():
        if sys.argv[1:2] == ["runserver"]:
            _ask_database()
        execute_from_command_line(sys.argv)


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
