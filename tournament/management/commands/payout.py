"""The stateless command `manage.py payout`, which computes prize pools and payouts from JSON input."""

from tournament.management.jsonlines import JsonLinesCommand
from tournament.purse.cases import run_payout_case


class Command(JsonLinesCommand):
    help = (
        "Prize pools, places and payouts to the cent: one JSON object a line in, one a line out. "
        'Try: {"fees_cents": [30000, 30000], "scale": ["70", "30"], "finish": [[7], [3]]}'
    )
    answer = staticmethod(run_payout_case)
