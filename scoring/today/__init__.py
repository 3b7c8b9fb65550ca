"""The guide through an event: its next step, what blocks it, and what needs attention, oldest first.

It also lists what is still open when an event is to be finished.

Public: selectors, pages.
"""
