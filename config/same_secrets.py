"""`python -m config.same_secrets granian …`: becomes that module, unless the database is served with other secrets.

granian starts a worker that ended again, no matter what it ended for. So the web server asks before it is there; the
other processes ask by themselves (`config/wsgi.py`, `config/celery.py`) and end.
"""

import os
import sys

import django
from django.conf import settings
from django.db import DatabaseError, connection

from tournament.core.services.secrets import refusal_of_secrets


def main(arguments: list[str]) -> None:
    settings.INSTALLED_APPS = []  # their models take a second, and all that is asked is two digests
    django.setup()
    # A pool would wait for a database that is away; this process asks once, and the one who serves asks again.
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
