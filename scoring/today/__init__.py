"""What needs attention at the desk, oldest first, and what is still open when an event is to be finished.

Public: selectors.
"""
