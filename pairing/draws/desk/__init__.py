"""Pairing at the desk while others still play: who is waiting, who plays whom at which table, and how it is said."""
