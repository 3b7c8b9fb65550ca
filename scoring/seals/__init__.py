"""Cryptographic seals on what players have signed, so that later changes can be detected.

The pages for verification are in `scoring/verification`.

Public: selectors, services, pdf.
"""
