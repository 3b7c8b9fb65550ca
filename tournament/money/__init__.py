"""Money at the desk: fees, payments, expenses, the prize pool, payouts, the ledger, drawers, closes and check-in.

A ledger row is never changed or deleted. A mistake is corrected by another row. `tournament/purse` does the arithmetic.

Public: selectors, services, providers, pdf.
"""
