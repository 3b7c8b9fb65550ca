"""Settlement between players: who pays whom after games with a value per point. It is no money of the tournament.

The cards that count are added up; neither the ledger nor the prize pool knows of it. An event does it only where its
director has said so.

Public: nothing but its pages.
"""
