"""Score cards, sheets, table signs and slips on paper, blank or as they were signed; and one file with everything.

Public: pdf.
"""
