"""An event, a tournament, or the whole installation as one file in an open format (`docs/format.md`).

Such a file can be exported, checked, and imported again.

Public: selectors, services.
"""
