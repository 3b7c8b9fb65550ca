"""Court Whist: the card of a table."""
