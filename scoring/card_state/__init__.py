"""A score card as it stands: facts in, one pure value out.

Here is who meets whom, what each side is called, what is on the card, who may write on it, and how a line reads in
words. Nothing is written here.

Public: selectors, permissions, forms, tables.
"""
