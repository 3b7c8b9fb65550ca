"""Messages from staff to entrants. They appear on the entrants' pages, and go out by email or a phone call.

Public: selectors, services.
"""
