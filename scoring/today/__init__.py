"""Guidance for directors: how to start an event, what to do next, and what needs attention.

Public: selectors, pages.
"""
