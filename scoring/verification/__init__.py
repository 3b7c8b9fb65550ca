"""Verification: compute a score card, a ruling, a file, the log or a whole event again, and compare it with the record.

Public: selectors, tables, pdf.
"""
