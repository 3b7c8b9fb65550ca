"""Rulings on disputes: each rule set's policy, the recommended ruling, and a ruling's effect on the score sheet."""
