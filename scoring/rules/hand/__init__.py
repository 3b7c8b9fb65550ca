"""A hand of gin rummy: cards, melds, lay-offs, deadwood, and whether a knock is legal.

`arrangement` finds the best melds, including cards laid off on a knocker's melds. `hands` scores a hand under the
event's options, and determines whether a player may knock. `hand_reader` reads recorded hands.
"""
