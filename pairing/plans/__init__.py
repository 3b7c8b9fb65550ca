"""The format of an event: its stages, as the director chose them before the draw.

The stages themselves are in `pairing/course`.

Public: selectors, services, words.
"""
