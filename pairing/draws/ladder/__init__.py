"""The ladder with challenges: the winner stays at the table, the loser goes to the end of the line.

    terms, games ──make_ladder──► who holds a table, who is next in the line, the longest run of wins
    ladder, who waits ──suggest_challenges──► who plays whom now

A club's king-of-the-hill evening. Ranked by the longest run of wins, then all wins, then fewest losses.
"""
