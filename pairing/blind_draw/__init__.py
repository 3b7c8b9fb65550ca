"""The blind draw: registration closes, the seal is published, the list is cut, the draw is looked at and posted.

Anybody can check it. A draw that was taken back stays on record.

Public: selectors, services, forms, pages.
"""
