"""A second laptop follows every write, so that the event goes on if the first one breaks.

The database of the first laptop remembers which rows each write changed. The second laptop receives these rows, in the
order in which they were written. The process `manage.py second_laptop connect` keeps the connection between the two.

Public: selectors, services.
"""
