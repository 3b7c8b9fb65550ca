from typing import Any

from scoring.rules.sheet.case import answer_tally
from tournament.management.jsonlines import JsonLinesCommand


class Command(JsonLinesCommand):
    help = "Count score sheets: one JSON object a line in (rules, options, sides, lines), its tally out."

    def answer(self, case: dict[str, Any]) -> dict[str, Any]:
        return answer_tally(case)
