"""Couples gin from the Metzker Book.

Each round's results are added up on a worksheet. The round's net score is then entered in three games on one sheet.
"""
