"""A double-entry ledger of every cent: movements of balanced postings, their balances, and what is refused.

    facts ──one function a kind──► Booking ──Balances.add──► sums by account ──► accounts of entries, pool, in hand

Public: `postings` (makes movements), `balances` (the fold), `daybook` (refusals), `days` (the business day of money),
`counted` (cash count), `close` (the report of a day), `case`.
"""
