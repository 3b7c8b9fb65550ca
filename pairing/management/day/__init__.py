"""A simulated qualifying day: late arrivals, games of random length, dropouts, and the desk that pairs.

    seed ──draw_terms──► DayTerms ──Chance──► arrivals, lengths of games, winners, dropouts
    Chance + hall ──play_day──► DayPlayed: games, waits, moments ──report_on──► rematches, waits, the forecast's error

The hall is either plain values (`PureHall`, which takes a moment) or the services with the database (`ServicesHall`).
With the same seed, both give the same day.
"""
