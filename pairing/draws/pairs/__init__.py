"""Pairing by record: entries with equal wins meet, nobody meets twice, and floats and byes are few and fair.

`record` makes the pairs, and `record_reasons` explains each of them. `record_barrier` and `constraints` say which
pairs are impossible. `alternating` finds what a matching can still gain. Qualifying and Swiss rounds build on this
folder.
"""
