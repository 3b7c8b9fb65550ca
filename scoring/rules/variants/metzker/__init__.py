"""Couples gin from the Metzker Book: rounds are added up on a worksheet, and scored in three games on one sheet."""
