"""Messages from staff to entrants: on their pages, by email if there is an address, else by phone.

Public: selectors, services.
"""
