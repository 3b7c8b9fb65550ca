"""Court Whist: the games of the evening, who moves after each hand, and who sits where in the next game."""
