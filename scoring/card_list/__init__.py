"""The desk's list of score cards: open, not signed, overdue, and posted.

Public: selectors.
"""
