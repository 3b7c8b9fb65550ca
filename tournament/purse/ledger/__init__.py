"""Every cent in a double-entry ledger: movements of balanced postings, their balances, and what is refused.

    facts ──one function a kind──► Movement ──Balances.add──► sums by account ──► accounts of entries, pool, in hand

Public: `postings` (a movement and what it moves), `balances` (the fold), `daybook` (what is refused), `days` (the day
that money counts to), `counted` (cash by denomination), `close` (what a day came to), `case`.
"""
