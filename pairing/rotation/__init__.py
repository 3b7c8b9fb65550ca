"""Two sides that turn against each other, round by round: couples in rotation, and Court Whist.

The movement itself is in `pairing/draws/rotation` and `pairing/draws/whist`.

Public: selectors, services.
"""
