"""Every cent in a double-entry ledger: movements of balanced postings, their balances, and what is refused.

    facts ──one function a kind──► Booking ──Balances.add──► sums by account ──► accounts of entries, pool, in hand

Public: `postings` (what books a movement), `balances` (the fold), `daybook` (what is refused), `days` (the day
that money counts to), `counted` (cash by denomination), `close` (what a day came to), `case`.
"""
