"""One hand of gin rummy: cards, melds, lay-offs, deadwood, and whether a knock stands.

`arrangement` finds the best melds, against the knocker's too; `knocking` says who may knock; `hand_reader` reads what
somebody wrote; `terms` are the terms that a hand is judged by.
"""
