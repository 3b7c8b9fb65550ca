"""The list of score cards that the desk follows: open, not signed, overdue, posted last.

Public: selectors.
"""
