"""Seal what was signed, so that later changes show: versions of a card, the installation's keys, and signed files.

This room also checks cards and rows of the log against their seals. The pages that verify are in
`scoring/verification`.

Public: selectors, services, pdf.
"""
