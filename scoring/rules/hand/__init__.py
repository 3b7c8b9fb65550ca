"""A hand of gin rummy: cards, melds, lay-offs, deadwood, and whether a knock is legal.

`arrangement` finds the best melds, also against the knocker's. `hands` judges a hand by its options, and decides who
may knock. `hand_reader` reads a recorded hand.
"""
