"""Single and double elimination: the bracket, its progress by the recorded facts, and the places.

`bracket` defines the matches, also with late entries. `progress` computes how far they are, and `elimination` gives the
places and serves brackets of either kind. `corrections` works out what a corrected result touches. `path` shows the
matches of one entry.
"""
