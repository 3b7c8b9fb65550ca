"""Commands on pairings that answer JSON with JSON: pair, compute standings, and check draws."""
