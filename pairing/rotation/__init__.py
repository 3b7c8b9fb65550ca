"""Formats in which two sides rotate against each other: couples, and Court Whist.

The movement itself is in `pairing/draws/two_sides.py`.

Public: selectors, services.
"""
