"""Word gin: letters, word points, and how a hand ends."""
