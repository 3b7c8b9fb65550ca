"""Entrants that are kept apart in draws and pairings: pairs, couples and clubs, each for a number of rounds.

Public: selectors, services.
"""
