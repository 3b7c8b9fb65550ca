"""Pairing by record: entries with equal wins meet, nobody meets twice, and floats and byes are few and fair.

`record` makes the pairs, and `reasons` explains each of them. Qualifying and Swiss rounds build on this folder.
"""
