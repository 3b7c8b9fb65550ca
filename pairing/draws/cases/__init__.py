"""Commands on pairings that answer JSON with JSON: pair, compute standings, and check a draw of entrants or partners.

`formats` has a module for each way to pair that the `pair` command knows.
"""
