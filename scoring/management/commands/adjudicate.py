from scoring.rules.rulings.adjudicate import run_adjudicate_case
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = "What the rules say of an irregularity: one JSON object a line in (rules, kind, facts), the ruling out."
    answer = staticmethod(run_adjudicate_case)
