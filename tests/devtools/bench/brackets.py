from __future__ import annotations

import os

from django.db import connection

from pairing.draws.knockout.bracket import make_bracket
from pairing.draws.knockout.progress import make_progress
from pairing.draws.order import draw_order
from pairing.draws.pictures.brackets import lay_out
from pairing.draws.separation.draw import place_order
from tests.devtools.bench.storage import store_double_elimination, store_on_postgres
from tests.devtools.bench.timing import Figure, NotMeasured, best

ENTRANTS = 1024
ASKED_MS = 1000.0
TWO_LIVES = 4096
TIMES_RAW = 3
SERVERS = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def draw_and_lay_out() -> None:
    order = draw_order(range(1, ENTRANTS + 1), secret=bytes(32), public="7H QS 2D", draw_id="bench")
    bracket = make_bracket(place_order(order).places)
    make_progress(bracket, ())
    lay_out.__wrapped__(bracket)


def measure_brackets() -> list[Figure | NotMeasured]:
    return [
        Figure(f"draw, bracket and layout of {ENTRANTS:,} entrants", best(draw_and_lay_out, 3), ASKED_MS),
        _stored(
            SERVERS[connection.vendor],
            store_double_elimination(TWO_LIVES),
        ),
        _stored_on_postgres(),
    ]


def _stored(where: str, took: tuple[float, float]) -> Figure:
    ours, raw = took
    name = f"double elimination of {TWO_LIVES:,} stored, {2 * TWO_LIVES - 1:,} matches, {where}"
    against = f"{TIMES_RAW} times a raw executemany of the same rows"
    return Figure(name, ours, TIMES_RAW * raw, against=against)


def _stored_on_postgres() -> Figure | NotMeasured:
    url = os.environ.get("POSTGRES_URL", "")
    if not url:
        return NotMeasured(f"double elimination of {TWO_LIVES:,} stored, PostgreSQL", "POSTGRES_URL names none")
    return _stored("PostgreSQL", store_on_postgres(TWO_LIVES, url))
