"""`manage.py ledger`: every cent of a day's movements, to zero, one case a line."""

from tournament.management.jsonlines import JsonLinesCommand
from tournament.purse import answer_ledger


class Command(JsonLinesCommand):
    help = (
        "What is owed, in hand, in the pool and spent after these movements: one JSON object a line in, one out. "
        'Try: {"movements": [{"kind": "charge", "entry": 7, "cents": 10000}]}'
    )
    answer = staticmethod(answer_ledger)
