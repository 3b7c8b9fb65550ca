"""A hand of gin rummy: cards, melds, lay-offs, deadwood, and whether a knock is legal.

`arrangement` finds the best melds, also against a knocker's melds. `hands` scores a hand under the event's options, and
determines who may knock. `hand_reader` reads a recorded hand.
"""
