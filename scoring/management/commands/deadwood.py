from scoring.rules.hand.arrangement import answer_deadwood
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = "Arrange hands: one JSON object a line in (hand, knocker, ace), its best melds and deadwood out."
    answer = staticmethod(answer_deadwood)
