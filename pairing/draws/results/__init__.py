"""Results: how a match ended, what each side is credited with, and which entries were removed.

`credits` has the facts from which everything is computed. `win_loss` adds up the wins and losses of one entry.
`endings` lists the ways in which a match can end.
"""
