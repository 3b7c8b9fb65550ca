"""The blind draw of an event: close registration, publish the seal, cut, check the preview, and post it.

Anybody can verify a draw. An undone draw stays on record.

Public: selectors, services, forms, pages.
"""
