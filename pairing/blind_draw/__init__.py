"""The blind draw of an event: close registration, publish the seal, cut, check the preview, and post it.

Anybody can verify a draw. An undone draw stays on record. `partners` draws partners in the same way, and offers the
eliminated players of one event for its second-chance event.

Public: selectors, services, pages.
"""
