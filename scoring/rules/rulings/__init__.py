"""Rulings on disputes: the policy of each rule book, the recommended ruling, and its effect on the sheet."""
