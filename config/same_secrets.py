"""Run a module unless the database is served with other secrets: `python -m config.same_secrets granian …`.

granian restarts a worker that ends for any reason. The web server therefore checks before it starts. The other
processes check by themselves (`config/wsgi.py`, `config/celery.py`) and end.
"""

import os
import sys

import django
from django.conf import settings
from django.db import DatabaseError, connection

from tournament.core.services.secrets import refusal_of_secrets


def main(arguments: list[str]) -> None:
    settings.INSTALLED_APPS = []  # loading the models takes a second, and the check needs only two digests
    django.setup()
    # A pool would wait for a database that is away. This process checks once, and the server checks again.
    connection.settings_dict["OPTIONS"].pop("pool", None)
    try:
        refusal = refusal_of_secrets()
    except DatabaseError:
        refusal = ""
    if refusal:
        sys.exit(refusal)
    os.execv(sys.executable, [sys.executable, "-m", *arguments])


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    main(sys.argv[1:])
