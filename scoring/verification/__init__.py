"""Verification: recompute a score card, ruling, PDF, log, or whole event, and compare it with the database.

Public: selectors, tables, pdf.
"""
