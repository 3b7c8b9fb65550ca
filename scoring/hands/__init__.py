"""Two hands laid on the table are judged: melds, layoffs, deadwood, and whether the knock was right.

Public: forms.
"""
