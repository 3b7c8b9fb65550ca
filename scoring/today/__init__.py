"""Guidance for directors: how to start an event, what to do next, and what needs attention.

It also lists what has to be settled before an event can be finished.

Public: selectors, pages.
"""
