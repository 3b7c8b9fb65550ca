"""Lay out brackets and groups: the positions of boxes and lines, which pages and papers then draw."""
