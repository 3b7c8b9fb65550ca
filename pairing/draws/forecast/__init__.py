"""Forecast when a stage will be over, and how certain that is, from the games played so far today."""
