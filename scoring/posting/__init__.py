"""Post cards that every side has signed, decide their matches, and open the next cards.

This package also computes the status of each signed card, and which results supersede it. It contains the desk's list
of score cards and the period in which a posted card can still be corrected. It also settles games with a value per
point between the players. That settlement is not part of the tournament's money.

Public: selectors, services, tables.
"""
