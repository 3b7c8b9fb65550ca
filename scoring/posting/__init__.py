"""Post cards that all sides have signed (which makes them count), decide their matches, and open the next cards.

This package also contains the desk's list of score cards, and the period in which a posted card can still be corrected.
If points have a money value, the package computes what players owe each other, separately from the tournament's own
money.

Public: selectors, services, tables.
"""
