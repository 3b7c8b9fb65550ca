"""Pair entries by win-loss record.

With as few exceptions as possible, entries with equal records meet, nobody meets twice, and byes are distributed
fairly. `record` makes the pairs, and `reasons` explains each of them. Qualifying and Swiss rounds use this package.
"""
