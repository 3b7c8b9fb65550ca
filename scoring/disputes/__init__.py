"""Disputes: players call the director, facts and evidence are recorded, and the director makes a ruling.

This package also contains penalties, appeals, the public register of rulings, and a page that judges hands.

Public: selectors, services, tables.
"""
