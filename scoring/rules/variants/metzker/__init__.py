"""Couples gin from the Metzker Book.

Each round's results are added up on a worksheet, and its net score goes to three games on one sheet.
"""
