"""Court Whist: the games of the evening, the moves after each game, and the seats in the next game."""
