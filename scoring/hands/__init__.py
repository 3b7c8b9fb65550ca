"""Judge two hands laid on the table: melds, lay-offs, deadwood, and whether the knock was right.

Public: forms.
"""
