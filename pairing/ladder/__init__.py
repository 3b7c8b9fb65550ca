"""Ladder stages: the winner stays at the table, and the loser goes to the end of the line.

The pure part, with the ranking by the longest run of wins, is `pairing/draws/ladder.py`.

Public: kind.
"""
