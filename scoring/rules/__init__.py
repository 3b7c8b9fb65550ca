"""How a game is scored: rules of the hand, the sheet, and what a signature covers. Plain values, nothing else.

    rule_sheet ──open_sheet──► Sheet ──judge_line──► a further line, or why it cannot stand
                                  ├──tally──► totals, winner, settlement
                                  └──digest(CardContent)──► what is signed
    irregularity ──adjudicate──► Ruling: the rule, the line it writes, choices, penalties
    hand ──arrange, arrange_against──► melds, lay-offs and deadwood;  ──knock_options──► gin, a knock, or neither
    two hands ──judge_hands──► lay-offs, the line they make, and who scores

What is impossible raises `BadCase` (tournament.errors) with every problem and its path; what is improbable is a
`Doubt`, and the scorer decides. A variant is one module in `variants/`, registered there; the pages, the paper and the
JSON show what it declares. Each room below says in its first lines what it is for; a room stands only on those under it
(pyproject.toml).
"""
