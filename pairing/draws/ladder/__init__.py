"""The ladder with challenges: the winner stays at the table, the loser goes to the end of the line.

    terms, games ──make_ladder──► the holders of tables, the line, the longest runs of wins
    ladder, waiting entries ──suggest_challenges──► the next games

This is a club's king-of-the-hill evening. The ranking is by the longest run of wins, then all wins, then fewest losses.
"""
