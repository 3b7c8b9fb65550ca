"""Writing on a score card: the cut, hands, up cards, corrections, totals, and closing games when time is called.

One side keeps score and the other confirms each hand. The room has the pages of a card for players, the desk and
the public, and its JSON interface.

Public: selectors, services, forms, tables, pages.
"""
