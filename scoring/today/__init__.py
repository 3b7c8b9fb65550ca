"""The guide through an event: its one next step, what blocks it, and what needs attention, oldest first.

Here is also what is still open when an event is to be finished.

Public: selectors, pages.
"""
