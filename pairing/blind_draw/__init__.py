"""The blind draw of an event: close registration, publish a seal, record the cut, check the preview, and post the draw.

The seal is the hash of a secret. The cut is the result of a random event in public, such as the cards that players cut
from a deck. The draw follows from the secret and the cut. Anybody can verify a draw, and an undone draw stays on
record. Partners are drawn in the same way. This package also lets eliminated players enter a second-chance event.

Public: selectors, services, pages.
"""
