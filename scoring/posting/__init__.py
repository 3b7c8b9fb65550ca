"""A card signed by every side is posted. Its match is decided, and the next card is opened.

Here is what each signed card counts for, and which results take a card out again.

Public: selectors, services, tables.
"""
