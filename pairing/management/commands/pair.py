"""`manage.py pair`: make pairings and brackets from JSON input, one case per line."""

from pairing.draws.cases.pair import run_pair_case
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = (
        "The next pairings, or a whole bracket: one JSON object a line in, one a line out. "
        'Try: {"format": "single-elimination", "entries": [3, 1, 2]}'
    )
    answer = staticmethod(run_pair_case)
