"""Help phones trust the certificate of the laptop in the hall.

Public: nothing but its pages.
"""
