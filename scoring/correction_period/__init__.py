"""The correction period: how long a posted card can still be corrected, and when it is final.

What a second official has to confirm is kept here. The confirming itself is in `scoring/desk_entry`.

Public: selectors, services, tables.
"""
