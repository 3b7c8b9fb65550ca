"""Single and double elimination: the bracket, its progress by the recorded facts, and the places.

`bracket` and `double_bracket` define the matches. `progress` and `double_progress` compute how far they are. `placing`
gives the places, and `elimination` serves brackets of either kind. `keeping` works out what a corrected result
touches. `late_byes` adds late entries, and `path` shows the matches of one entry.
"""
