"""The state of a score card, computed from its recorded facts and returned as one immutable object.

This package only reads the database.

Public: selectors, permissions, forms, tables.
"""
