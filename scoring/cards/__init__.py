"""What is written on a score card: the cut, hands, up cards, corrections, totals; closed when time is called.

One side keeps score, the other confirms each hand. The pages of a card are here, for players, for the desk, for
everybody, and for programs.

Public: selectors, services, forms, tables, pages.
"""
