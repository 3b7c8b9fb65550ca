from scoring.rules.sheet.sheets import answer_tally
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = "Count score sheets: one JSON object a line in (rules, options, sides, lines), its tally out."
    answer = staticmethod(answer_tally)
