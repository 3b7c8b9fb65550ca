"""Who is kept apart in draws and pairings: two entrants, couples, one club; and for how many rounds.

Public: selectors, services.
"""
