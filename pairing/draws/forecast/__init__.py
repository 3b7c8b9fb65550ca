"""Forecast when a stage will end, and how certain that is, based on the games played so far today."""
