"""Phones without a network: hands wait in an outbox, are sent later, or are handed over to another phone. The page can
be installed.

Public: nothing but its pages.
"""
