"""The blind draw of an event: close registration, publish the seal, cut, check the preview, and post it.

Anybody can verify a draw, and an undone draw stays on record. Partners are drawn in the same way. Eliminated players
can enter a second-chance event together.

Public: selectors, services, pages.
"""
