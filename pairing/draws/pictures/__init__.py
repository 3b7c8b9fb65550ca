"""Lay out brackets and groups: the positions of boxes and lines, which the page and the paper only draw."""
