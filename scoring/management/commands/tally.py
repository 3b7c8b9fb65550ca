from scoring.rules.sheet.sheets import run_tally_case
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = "Count score sheets: one JSON object a line in (rules, options, sides, lines), its tally out."
    answer = staticmethod(run_tally_case)
