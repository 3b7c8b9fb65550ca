"""Money at the desk: fees charged and paid, expenses, the prize pool, payouts, the ledger, drawers, the close
of a day, receipts, and check-in.

Nothing is ever changed or deleted in the ledger; a mistake is corrected by a further line. The sums are made in
`tournament/purse`.

Public: selectors, services, providers, pdf.
"""
