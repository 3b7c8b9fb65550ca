"""`manage.py standings`: compute standings from JSON input, one case per line."""

from pairing.draws.cases.standings import run_standings_case
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = (
        "Standings by tie-breaks, with the reason of each place: one JSON object a line in, one a line out. "
        'Try: {"entries": [4, 9], "matches": [{"sides": [4, 9], "winner": 9}]}'
    )
    answer = staticmethod(run_standings_case)
