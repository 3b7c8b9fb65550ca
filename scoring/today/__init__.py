"""The guide through an event: start it as a ready event or a copy, its next step, and what needs attention.

It also lists what is still open when an event is to be finished.

Public: selectors, pages.
"""
