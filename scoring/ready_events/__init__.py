"""A new event starts as one of the ready events, or as a copy of a former one.

Its settings, format, rule sheet, approvals and prizes are set in one act. What is left to say are the four steps of
`tournament/setup`.

Public: nothing but its pages.
"""
