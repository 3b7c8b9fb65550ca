"""Couples in rotation: two sides whose partners change from round to round."""
