"""What the committee or the book decides: the policy of each book, a ruling, and what it writes on the sheet."""
