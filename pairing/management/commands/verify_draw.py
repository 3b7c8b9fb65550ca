"""`manage.py verify_draw`: check that published blind draws follow from their secrets.

The input has one draw per line.
"""

from pairing.draws.order import run_verify_draw_case
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = (
        "Checks a blind draw: one JSON object a line in, one a line out. "
        'A line: {"secret", "commitment", "public", "draw_id", "numbers", "order"}, secret and commitment as '
        "64 hexadecimal digits."
    )
    answer = staticmethod(run_verify_draw_case)
