"""The players across all events of a tournament.

A person is one record. A typed name is matched with the existing record. Two records of one person can be merged, and
the merge can be undone.

Public: selectors, services.
"""
