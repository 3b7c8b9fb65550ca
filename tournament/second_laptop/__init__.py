"""A second laptop receives every write, so that the event can go on if the first laptop breaks.

The database of the first laptop records which rows each write changed. The second laptop receives these rows in the
order in which they were written. The process `manage.py second_laptop connect` maintains the connection between the
two.

Public: selectors, services.
"""
