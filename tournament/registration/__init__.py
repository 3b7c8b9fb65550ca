"""Registration: the entry form, approvals, the waiting list, partners, withdrawals, and substitutes.

Entrants return to their page through a private link. The package also manages sides and locations, if an event has
them.

Public: selectors, services.
"""
