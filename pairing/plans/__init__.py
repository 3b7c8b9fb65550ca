"""By which stages an event is played, as the director chose them before the draw.

The stages themselves are in `pairing/course`.

Public: selectors, services, words.
"""
