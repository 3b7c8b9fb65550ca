"""Score a game: the rules of the hand, the sheet, and the content that a signature covers.

Everything here is a plain value.

    rule_sheet ──open_sheet──► Sheet ──judge_line──► a further line, or the reasons why it is refused
                                  ├──tally──► totals, winner, settlement
                                  └──digest(CardContent)──► what is signed
    irregularity ──adjudicate──► Ruling: the rule, the line it writes, choices, penalties
    hand ──arrange, arrange_against──► melds, lay-offs and deadwood;  ──knock_options──► gin, a knock, or neither
    two hands ──judge_hands──► lay-offs, the line they make, and who scores

Impossible input raises `BadCase` (tournament.errors), which lists every problem with its path. Improbable input is
reported as a `Doubt`, and the scorer decides. A variant is one module, registered in `variants/`. The pages, the paper
and the JSON show what it declares. The docstring of each package below says what it covers, and a package imports only
from those under it (pyproject.toml).
"""
