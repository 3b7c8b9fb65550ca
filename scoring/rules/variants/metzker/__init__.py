"""Couples gin of the Metzker Book: rounds added up on a worksheet, and three games on one sheet."""
