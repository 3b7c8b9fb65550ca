"""Cryptographic seals on what players have signed, so that later changes can be detected.

This package contains the signed versions of cards, the installation's keys, signed PDFs, and the checks of cards and
log rows against their seals. The pages for verification are in `scoring/verification`.

Public: selectors, services, pdf.
"""
