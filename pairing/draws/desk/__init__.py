"""Pair entries at the desk while others still play: who waits, who plays whom at which table, and the words for it."""
