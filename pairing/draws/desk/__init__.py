"""The desk that pairs as players finish: who waits, whom to send to which table, and the words for it."""
