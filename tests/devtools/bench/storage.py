"""A double elimination stored by the service that opens it, against the same rows by a plain `executemany`.

`DATABASE_URL=postgres://… python -m tests.devtools.bench.storage` prints both in milliseconds.
`make bench` runs it if `POSTGRES_URL` names a server.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

TRIES = 7


def store_double_elimination(entrants: int) -> tuple[float, float]:
    """The shortest of several tries of the service, and of `executemany`, each in a transaction of its own."""
    from django.db import connection, transaction

    from pairing.draws.knockout.bracket import make_double_bracket
    from pairing.draws.separation.draw import place_order
    from pairing.models import Commitment, Draw, Match
    from pairing.stages.services.stages import make_elimination_matches
    from tests.factories import a_tournament, an_event

    event = an_event(a_tournament())
    seal = Commitment.objects.create(
        event=event, draw_id="bench", numbers=[], commitment="0" * 64, secret="0" * 64, by_name="bench"
    )
    draw = Draw.objects.create(commitment=seal, order=[], places=[], by_name="bench")
    stage = draw.stages.create(number=1, kind="double-elimination", name="bench", entries=[], by_name="bench")
    matches = make_double_bracket(place_order(range(1, entrants + 1)).places).matches

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


def store_on_postgres(entrants: int, url: str) -> tuple[float, float]:
    """The same in a process of its own, which has that database."""
    run = subprocess.run(
        [sys.executable, "-m", __name__, str(entrants)],
        env={**os.environ, "DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=True,
    )
    ours, raw = json.loads(run.stdout.splitlines()[-1])
    return ours, raw


def main(entrants: int) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.test.runner import DiscoverRunner

    runner = DiscoverRunner(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        print(json.dumps(store_double_elimination(entrants)))
    finally:
        runner.teardown_databases(databases)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4096)
