"""Enter everything that is recorded on a score card, such as the scorekeeper, the draw, hands, and signatures.

Games that end early are closed here, too. One side keeps score and the other confirms each hand. A signature covers
exactly the card that its signer saw. This package contains a card's pages for players, the desk and the public, and its
JSON API. The desk enters paper cards here (`paper_cards`). Phones without a network store hands and send them later
(`offline`).

Public: selectors, services, forms, tables, pages.
"""
