"""Pair entries by win-loss record: equal records meet, nobody meets twice, and exceptions and byes are few and fair.

`record` makes the pairs, and `reasons` explains each of them. Qualifying and Swiss rounds use this package.
"""
