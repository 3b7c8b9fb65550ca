"""A tournament as one file in an open format (`docs/format.md`): export it, check it, and import it again.

Public: selectors, services.
"""
