"""Load the demo tournament at low priority while the site is in use: `python -m laptop.demo http://127.0.0.1:8000`."""

import os
import sys
from typing import Final

from config.process import die_with_supervisor, lower_priority
from config.unready import exit_on_known_startup_error

DEMO_NICENESS: Final = 8


def main(site: str) -> None:
    die_with_supervisor()
    lower_priority(DEMO_NICENESS)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.core.management import call_command

    django.setup()
    with exit_on_known_startup_error():
        call_command("load_demo", site=site, go_on=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
