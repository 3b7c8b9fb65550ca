from scoring.rules.hand.arrangement import run_deadwood_case
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = "Arrange hands: one JSON object a line in (hand, knocker, ace), its best melds and deadwood out."
    answer = staticmethod(run_deadwood_case)
