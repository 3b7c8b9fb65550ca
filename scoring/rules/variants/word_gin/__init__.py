"""Word gin: letters, word points, and the ways in which a hand ends."""
