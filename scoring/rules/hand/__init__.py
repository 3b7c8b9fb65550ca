"""A hand of gin rummy: cards, melds, lay-offs, deadwood, and whether a knock is legal.

`arrangement` finds the best melds, also against the knocker's. `knocking` decides who may knock. `hand_reader` reads a
recorded hand. `hands` holds the options by which a hand is judged, and judges it.
"""
