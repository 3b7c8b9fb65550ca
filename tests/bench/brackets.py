from __future__ import annotations

from pairing.draws import draw_order, lay_out, make_bracket, make_progress, place_order
from tests.bench.timing import Figure, best

ENTRANTS = 1024
ASKED_MS = 1000.0


def draw_and_lay_out() -> None:
    order = draw_order(range(1, ENTRANTS + 1), secret=bytes(32), public="7H QS 2D", draw_id="bench")
    bracket = make_bracket(place_order(order).places)
    make_progress(bracket, ())
    lay_out(bracket)


def measure_brackets() -> list[Figure]:
    return [Figure(f"draw, bracket and layout of {ENTRANTS:,} entrants", best(draw_and_lay_out, 3), ASKED_MS)]
