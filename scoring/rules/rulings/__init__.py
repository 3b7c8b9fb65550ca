"""Rulings on disputes: each rule set's policy, the recommended ruling, and its effect on the score sheet."""
