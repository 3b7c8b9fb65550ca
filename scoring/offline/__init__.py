"""Phones without a network: hands wait in an outbox, and are sent later or handed over to another phone.

The page can be installed as an app.

Public: nothing but its pages.
"""
