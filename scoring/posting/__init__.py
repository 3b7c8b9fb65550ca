"""Post cards that every side has signed, decide their matches, and open the next cards.

The room also computes what each signed card counts for, and which results take a card out again.

Public: selectors, services, tables.
"""
