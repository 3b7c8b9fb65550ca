"""Keeping entrants apart: clubs, couples, two entries of one player, group mates, and pairs that have met.

`draw` makes a bracket by all the terms of a draw. `avoid`, `avoid_chains` and `avoid_later` part pairs in brackets,
`apart_groups` and `apart_seeds` in groups and among seeds. The three `seating_…` modules search for the best exchange.
`kit` is what these searches share.
"""
