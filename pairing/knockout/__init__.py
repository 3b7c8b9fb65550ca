"""Brackets: single elimination, and double elimination with its losers' bracket.

The room loads a bracket with tables and scores, draws it on screen and paper, and shows a player's path.

Public: selectors, services, pictures, pdf, pages.
"""
