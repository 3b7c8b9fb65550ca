"""The correction period: how long a posted card can still be corrected, and when it is final.

Entries that a second official has to confirm are stored here. `scoring/desk_entry` has the pages that confirm them.

Public: selectors, services, tables.
"""
