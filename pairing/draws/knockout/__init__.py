"""Single and double elimination: the bracket, its progress according to the recorded facts, and the places.

`bracket` defines the matches, including late entries. `progress` computes their current state and each entry's path.
`places` ranks the entries. `corrections` finds the matches that are affected by a corrected result.
"""
