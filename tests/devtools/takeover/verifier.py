"""Answer each line of input, a tournament and an event, with what `verify_event` finds, as a line of JSON.

    python -m tests.devtools.takeover.verifier

A process for each question would need seconds to start.
"""

from __future__ import annotations

import json
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

# ruff: noqa: E402 (the database needs Django to be set up first)

from django.db import connections

from tests.devtools.hall.count import list_problems


def main() -> None:
    for line in sys.stdin:
        tournament, event = line.split()
        print(json.dumps(list_problems(tournament, event)), flush=True)
        connections.close_all()  # the file may be replaced before the next question


if __name__ == "__main__":
    main()
