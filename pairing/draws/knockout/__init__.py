"""Single and double elimination: the bracket, its progress by the recorded facts, and the places.

`bracket` defines the matches, with late entries if there are any. `progress` computes their current state and the path
of each entry. `places` ranks the entries. `corrections` finds what a corrected result touches.
"""
