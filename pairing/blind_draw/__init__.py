"""The blind draw of an event: close registration, publish the seal, cut, check the preview, and post it.

Anybody can verify a draw. An undone draw stays on record. Partners are drawn in the same way. The second-chance event
of an event is offered to its eliminated players.

Public: selectors, services, pages.
"""
