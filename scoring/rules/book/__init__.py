"""Rule sheets: a game's options and their labels, special match lengths, and the layout of a score sheet."""
