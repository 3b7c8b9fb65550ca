"""How a phone learns to trust the certificate of the laptop in the hall.

Public: nothing but its pages.
"""
