"""Enter what belongs on a score card, from the scorekeeper and the draw to signatures and early closings.

One side keeps score and the other confirms each hand. A signature covers exactly the card that its signer saw. This
package contains a card's pages for players, the desk and the public, and its JSON API. The desk enters paper cards here
(`paper_cards`). Phones without a network store hands and send them later (`offline`).

Public: selectors, services, forms, tables, pages.
"""
