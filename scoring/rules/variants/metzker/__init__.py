"""Couples' gin by the Metzker book: rounds added up on a worksheet, three games on one sheet."""
