"""`manage.py verify_partners`: check that published partner draws follow from their secrets, one draw per line."""

from pairing.draws.partners import run_verify_partners_case
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = (
        "Checks a draw of partners: one JSON object a line in, one a line out. "
        'A line: what verify_draw takes, and {"pairs", "left", "pools": {"A", "B"}, "same_person", "before"}.'
    )
    answer = staticmethod(run_verify_partners_case)
