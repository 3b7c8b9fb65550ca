"""Post cards that every side has signed, decide their matches, and open the next cards.

The room also computes what each signed card counts for, and which results supersede a card. It has the desk's list of
score cards, the period in which a posted card can still be corrected, and the settlement between players of games with
a value per point. That settlement is not part of the tournament's money.

Public: selectors, services, tables.
"""
