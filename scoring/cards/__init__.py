"""Writing on a score card: the cut, hands, up cards, corrections, totals, signatures, and closing games.

One side keeps score and the other confirms each hand. A signature covers exactly the card that its signer saw. The
room has the pages of a card for players, the desk and the public, and its JSON interface. The desk enters paper cards
here (`paper_cards`), and phones without a network store hands and send them later (`offline`).

Public: selectors, services, forms, tables, pages.
"""
