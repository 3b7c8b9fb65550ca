"""PDFs to print: score cards before and after play, score sheets, table signs, slips, and one file with everything.

Public: pdf.
"""
