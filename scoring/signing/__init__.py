"""Signatures: each covers exactly what its signer saw on the card.

Public: services, forms.
"""
