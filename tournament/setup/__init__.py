"""Create, change and open tournaments, their events and their staff.

The package also contains the states of an event, sign-in links for staff, and the log page.

Public: forms, words, services, selectors.
"""
