"""`manage.py pair`: make pairings and brackets, one JSON case a line."""

from pairing.draws.cases.pair import answer_pair
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = (
        "The next pairings, or a whole bracket: one JSON object a line in, one a line out. "
        'Try: {"format": "single-elimination", "entries": [3, 1, 2]}'
    )
    answer = staticmethod(answer_pair)
