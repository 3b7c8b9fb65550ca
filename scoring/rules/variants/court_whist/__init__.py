"""Court Whist: the card of a player."""
