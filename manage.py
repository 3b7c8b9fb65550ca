#!/usr/bin/env python
import os
import sys


def main() -> None:
    from config import stateless

    if sys.argv[1:] and sys.argv[1] in stateless.STATELESS_COMMANDS | stateless.FILE_READING_COMMANDS:
        stateless.run_stateless_command(sys.argv)
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("DB_POOL", "0")
    from django.core.management import execute_from_command_line

    from config.unready import exit_on_known_startup_error

    with exit_on_known_startup_error():
        if sys.argv[1:2] == ["runserver"]:
            _ask_database()
        execute_from_command_line(sys.argv)


def _ask_database() -> None:
    """Django's own server asks in a thread, whose refusal nobody could catch."""
    import django
    from django.db import connection

    django.setup()
    connection.ensure_connection()


if __name__ == "__main__":
    main()
