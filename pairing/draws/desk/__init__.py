"""Pair entries at the desk while others are still playing, and explain each pair."""
