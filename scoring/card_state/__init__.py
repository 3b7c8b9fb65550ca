"""The state of a score card, computed from its facts as one immutable value.

The room finds a card's players and their names, what is written on the card, and who may write on it.
It also describes the lines of a card in words. It writes nothing to the database.

Public: selectors, permissions, forms, tables.
"""
