"""A second laptop follows every write, so that the event goes on if the first one breaks.

The database of the first laptop remembers which rows each write changed. The second laptop receives these rows, in the
order in which they were written. The connection between the two is in `laptop.link`.

Public: selectors, services.
"""
