"""What was signed is sealed, so that a later change shows: versions of a card, the installation's keys, signed files.

Cards and rows of the log are held against their seals here. The pages that verify are in `scoring/verification`.

Public: selectors, services, pdf.
"""
