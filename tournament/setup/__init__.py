"""Set up, change and open tournaments, their events and their staff.

The room also has the states of an event, sign-in links for staff, and the page of the log.

Public: forms, words, services, selectors.
"""
