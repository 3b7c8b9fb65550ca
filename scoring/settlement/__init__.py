"""Settlement between players: who pays whom after games with a value per point.

It adds up the cards that count. This is no money of the tournament: it is in neither the ledger nor the prize pool. An
event has it only if its director switched it on.

Public: nothing but its pages.
"""
