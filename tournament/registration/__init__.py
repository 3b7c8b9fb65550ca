"""Registration: the entry form, approvals, the waiting list, partners wanted, withdrawals and substitutes.

An entrant comes back by a private link. Sides and sites are recorded here for events that have them.

Public: selectors, services.
"""
