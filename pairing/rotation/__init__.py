"""Formats in which two sides rotate against each other: couples, and Court Whist.

The movement itself is in `pairing/draws/rotation` and `pairing/draws/whist`.

Public: selectors, services.
"""
