"""Forecast when a stage will end, and how certain that is, from the games played so far today."""
