"""Verify a score card, a ruling, a file, the log, or a whole event: everything is computed again and compared.

Public: selectors, tables, pdf.
"""
