"""Set up tournaments, events and staff, and open events for registration.

The package also contains the states of an event, sign-in links for staff, and the log page.

Public: forms, words, services, selectors.
"""
