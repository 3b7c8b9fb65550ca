"""Keep entrants apart: clubs, couples, entries of the same player, members of one group, and pairs that have met.

`draw` fills a bracket according to the terms of its draw. `groups_and_seeds` separates entries in groups and among
seeds. `exchanges` has the code that these searches share.
"""
