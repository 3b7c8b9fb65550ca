"""Create the site of `tests/config/hall.py` in the configured database, and print its URLs and users as JSON."""

from __future__ import annotations

import json
import os


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["DEBUG"] = "1"  # the hall asks for pages before static files are collected
    import django

    django.setup()

    from laptop.update import create_tables
    from tests.config.hall import Hall  # not above: the process that reads files imports this module without Django
    from tests.devtools.spoiled.rows import known_of

    create_tables()
    print(json.dumps(known_of(Hall())))


if __name__ == "__main__":
    main()
