"""Couples that turn: two sides, and partners that change from round to round by the scorekeeper's book."""
