"""Score cards, sheets, table signs and ruling slips on paper, blank or as they were signed.

Public: pdf.
"""
