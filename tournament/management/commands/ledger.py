"""The stateless command `manage.py ledger`, which computes balances and the prize pool from money movements in JSON."""

from tournament.management.jsonlines import JsonLinesCommand
from tournament.purse.cases import run_ledger_case


class Command(JsonLinesCommand):
    help = (
        "What is owed, in hand, in the pool and spent after these movements: one JSON object a line in, one out. "
        'Try: {"movements": [{"kind": "charge", "entry": 7, "cents": 10000}]}'
    )
    answer = staticmethod(run_ledger_case)
