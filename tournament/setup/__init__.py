"""Tournaments, their events and their staff: set up, changed, opened.

Here are the states of an event and the ways between them, sign-in links for staff, and the page of the log.

Public: forms, services.
"""
