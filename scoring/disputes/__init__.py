"""Disputes: players call the director, facts and evidence are recorded, and the director makes a ruling.

This package also contains penalties, appeals, and the public register of rulings. One of its pages scores two hands
that players have laid on the table, and tells whether the knock was legal.

Public: selectors, services, tables.
"""
