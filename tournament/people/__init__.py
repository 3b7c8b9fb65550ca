"""The players across all events of a tournament.

A person is one record. A typed name finds the record that is there. Two records of one person are merged, and the merge
can be undone.

Public: selectors, services.
"""
