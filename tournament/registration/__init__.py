"""Registration: the entry form, approvals, the waiting list, partners, withdrawals, and substitutes.

An entrant returns to their page by a private link. Sides and sites are recorded here for events that have them.

Public: selectors, services.
"""
