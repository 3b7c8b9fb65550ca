"""Rule sheets: the options of an event's game and their labels, match lengths, and the layout of a score sheet."""
