"""Groups in which everybody meets everybody, as crosstables on screen, on the wall and on paper.

Public: pictures, pdf.
"""
