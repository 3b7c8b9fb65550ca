"""Export an event, a tournament, or the whole installation as one file, check such a file, and import it again.

`docs/format.md` describes the format.

Public: selectors, services.
"""
