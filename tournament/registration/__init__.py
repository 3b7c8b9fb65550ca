"""Registration: the entry form, approvals, the waiting list, partners, withdrawals, and substitutes.

Entrants return to their page through a private link. The package also manages an event's locations and its two sides,
such as gentlemen and ladies, if it has any.

Public: selectors, services.
"""
