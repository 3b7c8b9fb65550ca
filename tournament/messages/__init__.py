"""Messages from staff to entrants. They appear on the entrants' pages, and are emailed or passed on by phone.

Public: selectors, services.
"""
