#!/usr/bin/env python
import os
import sys


def main() -> None:
    from config import stateless

    if sys.argv[1:] and sys.argv[1] in stateless.COMMANDS:
        stateless.run(sys.argv)
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
