"""Money at the desk: fees charged and paid, the prize pool, payouts, receipts, and check-in.

Nothing is ever changed or deleted in the ledger; a mistake is corrected by a further line. The sums are made in
`tournament/purse`.

Public: selectors, services, pdf.
"""
