"""Start a new event as one of the ready events, or as a copy of a former one.

Its settings, format, rule sheet, approvals and prizes are set in one act. The four steps of `tournament/setup`
follow.

Public: nothing but its pages.
"""
