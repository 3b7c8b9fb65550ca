"""Pairing by record: those with equal wins meet, nobody meets twice, the fewest floats and the fairest byes.

`record` pairs; `record_reasons` says why each pair was made; `record_barrier` and `constraints` say which pairs
cannot be; `alternating` finds what a matching can still gain. Qualifying and Swiss rounds stand on it.
"""
