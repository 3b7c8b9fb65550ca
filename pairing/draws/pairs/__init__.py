"""Pair entries by win-loss record, with as few exceptions as possible.

Entries with equal records meet, nobody meets twice, and byes are distributed fairly. `record` makes the pairs, and
`reasons` explains each of them. Qualifying and Swiss rounds use this package.
"""
