"""Prints: score cards, sheets, table signs and slips, blank or as signed, and one file with everything.

Public: pdf.
"""
