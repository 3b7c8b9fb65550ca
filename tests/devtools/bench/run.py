"""Measure the expensive operations in one run (`make bench`), and write the table in docs/performance.md.

Since times depend on the machine, each one is compared with a limit, or with the same work done another way in the same
run. The command lists all figures over their limits, and fails if there are any.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Final

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

# ruff: noqa: E402 (rows need Django to be set up first)

from django.conf import settings
from django.test.runner import DiscoverRunner

from tests.devtools.bench.brackets import measure_brackets
from tests.devtools.bench.cards import measure_cards
from tests.devtools.bench.hands import measure_hands
from tests.devtools.bench.pages import measure_pages
from tests.devtools.bench.pairings import measure_pairings
from tests.devtools.bench.served import measure_served

DOCS = Path(settings.BASE_DIR) / "docs" / "performance.md"
TABLE: Final = re.compile(r"(\| what \| measured .+\n\|[-|]+\n)(?:\|.+\n)*")
"""Finds the table on the page by its heading."""


def main() -> int:
    runner = DiscoverRunner(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        # A page first: what the others leave in memory is no part of it.
        pages = measure_pages()
        figures = [
            *measure_brackets(),
            *measure_cards(),
            *measure_hands(),
            *pages,
            *measure_pairings(),
            *measure_served(),
        ]
    finally:
        runner.teardown_databases(databases)
    lines = [figure.line() for figure in figures]
    print("\n".join(lines))
    rows = "".join(f"{line}\n" for line in lines)
    DOCS.write_text(TABLE.sub(lambda table: table[1] + rows, DOCS.read_text(), count=1))
    late = [figure for figure in figures if figure.asked and figure.ratio > 1]
    for figure in late:
        print(f"Over its limit: {figure.name}", file=sys.stderr)
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
