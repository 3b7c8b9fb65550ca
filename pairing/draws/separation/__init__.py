"""Keep entrants apart: clubs, couples, two entries of one player, group mates, and pairs that have met.

`draw` makes a bracket by all the terms of a draw. `groups_and_seeds` separates entries in groups and among seeds.
`exchanges` holds what these searches share.
"""
