"""A made-up qualifying day in fast time: late arrivals, games of random length, dropouts, and the desk that pairs.

    seed ──draw_terms──► DayTerms ──Chance──► who comes when, how long a game takes, who wins it, who goes home
    Chance + hall ──play_day──► DayPlayed: games, waits, moments ──report_on──► rematches, waits, the forecast's error

The hall is either plain values (`PureHall`: a day in a moment) or the services and the database (`ServicesHall`); for
the same seed the day is the same.
"""
