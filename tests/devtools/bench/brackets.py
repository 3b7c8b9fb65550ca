"""Draw and lay out a bracket, and store a double elimination with the service and with a plain `executemany`.

`python -m tests.devtools.bench.brackets` prints the times of both ways in milliseconds, for the database in
`DATABASE_URL`. `make bench` also runs it for the server in `POSTGRES_URL`.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

from django.db import connection, transaction

from pairing.draws.knockout.bracket import make_bracket, make_double_elimination_bracket
from pairing.draws.knockout.progress import make_bracket_progress
from pairing.draws.layouts.brackets import lay_out_bracket
from pairing.draws.order import compute_draw_order
from pairing.draws.separation.draw import place_drawn_order
from tests.devtools.bench.timing import Figure, NotMeasured, best

ENTRANTS = 1024
ASKED_MS = 1000.0
STORED = 4096
TIMES_RAW = 3
TRIES = 7
SERVERS = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def measure_brackets() -> list[Figure | NotMeasured]:
    return [
        Figure(f"the draw, bracket, and layout for {ENTRANTS:,} entrants", best(_draw_and_lay_out, 3), ASKED_MS),
        _compare_storing(SERVERS[connection.vendor], *store_double_elimination(STORED)),
        _measure_postgres(),
    ]


def _draw_and_lay_out() -> None:
    order = compute_draw_order(range(1, ENTRANTS + 1), secret=bytes(32), public="7H QS 2D", draw_id="bench")
    bracket = make_bracket(place_drawn_order(order).places)
    make_bracket_progress(bracket, ())
    lay_out_bracket.__wrapped__(bracket)


def _compare_storing(server: str, ours: float, raw: float) -> Figure:
    name = f"storing a double elimination of {STORED:,} entrants ({2 * STORED - 1:,} matches) in {server}"
    return Figure(
        name, ours, TIMES_RAW * raw, against=f"{TIMES_RAW} times as long as a raw executemany of the same rows"
    )


def _measure_postgres() -> Figure | NotMeasured:
    url = os.environ.get("POSTGRES_URL", "")
    if not url:
        return NotMeasured(
            f"storing a double elimination of {STORED:,} entrants in PostgreSQL", "POSTGRES_URL is not set"
        )
    command = [sys.executable, "-m", __name__]
    run = subprocess.run(command, env={**os.environ, "DATABASE_URL": url}, capture_output=True, text=True, check=True)
    return _compare_storing("PostgreSQL", *json.loads(run.stdout.splitlines()[-1]))


def store_double_elimination(entrants: int) -> tuple[float, float]:
    """Store the matches of a double elimination in two ways, and return the shortest time of each way in milliseconds.

    The first time is that of `make_elimination_matches`, which the program uses. The second time is that of
    `executemany` with plain SQL, for comparison.
    """
    from pairing.models import Commitment, Draw, Match
    from pairing.stages.services.stages import make_elimination_matches
    from tests.factories import a_tournament, an_event

    event = an_event(a_tournament())
    seal = Commitment.objects.create(
        event=event, draw_id="bench", numbers=[], commitment="0" * 64, secret="0" * 64, by_name="bench"
    )
    draw = Draw.objects.create(commitment=seal, order=[], places=[], by_name="bench")
    stage = draw.stages.create(number=1, kind="double-elimination", name="bench", entries=[], by_name="bench")
    matches = make_double_elimination_bracket(place_drawn_order(range(1, entrants + 1)).places).matches

    def by_service() -> None:
        with transaction.atomic():
            make_elimination_matches(event, stage, matches)

    def by_executemany() -> None:
        rows = [(event.pk, draw.pk, stage.pk, match.id, match.round, match.position) for match in matches]
        columns = "event_id, draw_id, stage_id, ident, round, position"
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO pairing_match ({columns}) VALUES (%s, %s, %s, %s, %s, %s)", rows)

    def took(work: Callable[[], None]) -> float:
        Match.objects.filter(draw=draw).delete()
        gc.collect()
        began = time.perf_counter()
        work()
        return (time.perf_counter() - began) * 1000

    tries = [(took(by_service), took(by_executemany)) for _turn in range(TRIES)]
    Match.objects.filter(draw=draw).delete()
    return min(ours for ours, _raw in tries), min(raw for _ours, raw in tries)


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.test.runner import DiscoverRunner

    runner = DiscoverRunner(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        print(json.dumps(store_double_elimination(STORED)))
    finally:
        runner.teardown_databases(databases)


if __name__ == "__main__":
    main()
