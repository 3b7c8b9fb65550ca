"""What an act would change, shown before it is done; and the last result of a match undone.

An act is tried and rolled back. Then exactly what was shown is done.

Public: selectors, services, words, pages.
"""
