"""Brackets: single elimination, and double elimination with its losers' bracket.

The bracket as it stands, with tables and scores; its pictures on the screen and on paper; a player's path.

Public: selectors, services, pictures, pdf, pages.
"""
