"""JSON way in: the same services, behind /api/cards/<token>/."""
