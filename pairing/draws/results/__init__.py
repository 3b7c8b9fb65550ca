"""What a result is: how a match ended, what each side is credited with, and who was removed.

`credits` has the facts that every fold reads, `win_loss` the wins and losses of one entrant, `endings` the ways in
which a match can end.
"""
