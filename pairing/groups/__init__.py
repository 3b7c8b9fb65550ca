"""Pools in which everybody meets everybody, as crosstables on the screen, on the wall and on paper.

Public: selectors, pdf, pages.
"""
