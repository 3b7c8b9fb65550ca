"""Single and double elimination: the bracket, what the recorded facts make of it, and who came where.

`bracket` and `double_bracket` say who meets whom, `progress` and `double_progress` fold the facts, `placing` gives the
places; `elimination` asks either kind. `keeping` says what a corrected result touches, `late_byes` who takes the
place of a bye, `path` how somebody came here.
"""
