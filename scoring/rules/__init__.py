"""Score games, rule on irregularities, and define the exact content that players sign.

    VariantRules ──make_empty_sheet──► ScoreSheet ──judge_line──► a new line, or the reasons why it is rejected
                                   ├──tally_sheet──► totals, winner, settlement
                                   └──CardContent──► what is signed
    irregularity ──adjudicate──► RulingRecommendation: the rule, the line for the sheet, choices, penalties
    hand ──arrange_hand, arrange_against_knocker──► melds, lay-offs and deadwood
    hand ──find_knock_options──► gin, a knock, or neither
    two hands ──judge_hands──► lay-offs, the resulting line, and who scores

Impossible input raises `InvalidInput` (tournament.errors), which lists every problem with its path. Improbable input is
reported as a `LineWarning`, and the scorer decides whether to record it. A variant is a game with its rules. All
variants are registered in `variants/`.
"""
