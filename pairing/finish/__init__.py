"""Finish an event, end it early, reopen it, or call it off. Open questions are shown first.

Public: selectors, services, pdf.
"""
