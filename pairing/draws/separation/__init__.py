"""Keep entrants apart: clubs, couples, two entries of one player, group mates, and pairs that have met.

`draw` makes a bracket by all the terms of a draw. `avoid`, `avoid_chains` and `avoid_later` separate pairs in
brackets. `apart_groups` and `apart_seeds` do so in groups and among seeds. The three `seating_…` modules search for
the best exchange. `kit` holds what these searches share.
"""
