"""Money at the desk: fees, payments, expenses, prizes, the ledger, cash drawers, daily closes, and check-in.

Ledger rows are never changed or deleted. A mistake is corrected with another row. `tournament/purse` does the
arithmetic.

Public: selectors, services, providers, pdf.
"""
