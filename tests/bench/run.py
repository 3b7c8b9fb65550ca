"""How fast the heavy things are: `make bench` measures them in one run and writes docs/performance.md.

A figure in milliseconds says something about a machine; so each is held against a limit, or against the same work done
another way in the same run. What is slower than its limit is said so, and the command fails.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

# ruff: noqa: E402 (rows need Django to be set up first)

from django.conf import settings
from django.test.runner import DiscoverRunner

from tests.bench.brackets import measure_brackets
from tests.bench.cards import measure_cards
from tests.bench.hands import measure_hands
from tests.bench.pages import measure_pages
from tests.bench.pairings import measure_pairings
from tests.bench.served import measure_served

DOCS = Path(settings.BASE_DIR) / "docs" / "performance.md"
HEAD = """# How fast it is

Written by `make bench`: everything is measured in one run. The milliseconds are those of the machine
it last ran on; what counts is the last column, the figure against its limit in the same run (1.00 is the limit).

| what | measured | limit | measured ÷ limit |
|---|---|---|---|
"""
NOTES = """
A figure is the best of several tries. *Asked* marks those the project promises; the others are there to compare.

- **Brackets.** The order is drawn from the secret, the bracket made, its progress folded and every box and line
  placed, as for the page and the poster. A double elimination is stored by the service that opens it, against
  `executemany` of the same rows in the same database and run, each in a transaction of its own; PostgreSQL is measured
  too where `POSTGRES_URL=postgres://… make bench` names one.
- **Cards.** Blank score cards with two names, a table and a QR code, a card a page. The fixed parts are a form drawn
  once a document, the words of a page one text object, the code a one-bit mask inside the page. Codes of one length
  differ by the cells that single bits turn, so a large batch makes a few hundred of them and adds up the rest
  (`tournament/core/pdf/paper.py`). `segno` alone makes the same 1,000 codes and draws nothing; `platypus` is the same
  page as ReportLab's tables, without a code.
- **Hands.** Processor time; the count of the unmatched points of a hand, from the one number of 52 bits that
  `scoring/rules/hand/arrangement.py` works with, and OpenSpiel's C++ through its Python binding from the list of ten
  numbers that it works with; the second line makes our number from such a list each time. *Rich in melds* are hands put
  together of runs and sets with a few cards more. The counts are compared, too: OpenSpiel's of all hands, and of some
  those of a search that tries every arrangement (`tests/scoring/rules/hand/every_arrangement.py`). OpenSpiel is large
  and serves nothing else here, so it is not among the requirements; without it these two lines are left out. With it:
  `python -m pip install --target /tmp/openspiel open_spiel` and `PYTHONPATH=/tmp/openspiel make bench`. A lay-off
  question is the search for the best melds and lay-offs; then the same from cards to cards.
- **Lists.** 256 entrants, loaded, to HTML. The rows are written by `tournament/core/tables/fast.py`: each column is
  asked once what it does and written as a whole, its texts escaped in one go. The slow way is the same table through
  a Django template that passes over every row. The whole page from cold adds the query and the frame of the page,
  which cost the same both ways and are by now more than its rows; after the first reader it is kept by the event's
  version.
- **Pairings.** Processor time. The next round is exact, with its proof; the plainest greedy pass goes down the list,
  takes for each the first of those waiting whom it has not met, and promises nothing. Half of ours is the lots (one
  SHA-256 an entry), so that anybody can repeat the order. Memory is what a fresh process grows by from a line of JSON
  to its pairs; the exponent is the slope over five sizes. rustworkx matches all pairs of 500 (of 4,000 it takes
  seconds and more than a gigabyte); swisspair serves nothing else here and is not among the requirements:
  `python -m pip install --target /tmp/swisspair swisspair` and `PYTHONPATH=/tmp/swisspair make bench`.
- **Forecast.** The longest one the desk makes: nobody has played yet. How near it comes is in
  [forecast.md](forecast.md), measured by `manage.py simulate_day --days 300 --pure`.
- **Served.** The whole site as `make run` starts it, with an event of 256 in play, and beside it a bare server by the
  same line of the Procfile (`tests/bench/bare.py`), asked in turn. The constant answer has the bytes and headers of the
  bracket page (gzip); 16 connections of `wrk`, without which these lines are left out. *From before a write* counts
  pages that lack a result whose form was answered before the page was asked for. A stream is open when it was told its
  version. The last is told: from the answer to the form (or the first stream told, if sooner) until all were told;
  the broadcast is asyncio's `write` to as many connections. Memory (PSS) is of the first 5,000 a process ever had.
"""


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
    by_hand = "".join(DOCS.read_text().partition("\n## ")[1:])  # the full hall is measured apart, by `make hall`
    DOCS.write_text(HEAD + "\n".join(lines) + "\n" + NOTES + by_hand)
    late = [figure for figure in figures if figure.asked and figure.ratio > 1]
    for figure in late:
        print(f"Over its limit: {figure.name}", file=sys.stderr)
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
