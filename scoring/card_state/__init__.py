"""The state of a score card, computed from its recorded facts and returned as one immutable object.

This package finds a card's players and their names, what is written on the card, and who may write on it. It also
describes a card's lines as text. It writes nothing to the database.

Public: selectors, permissions, forms, tables.
"""
