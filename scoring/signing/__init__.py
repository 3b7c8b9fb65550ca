"""Signatures. Each covers exactly the card that its signer saw.

Public: services, forms.
"""
