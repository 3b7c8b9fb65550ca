"""Verification: recompute score cards, rulings, PDFs, logs, or whole events, and compare them with the database.

Public: selectors, tables, pdf.
"""
