"""Disputes: players call the director, facts and evidence are recorded, and the director makes a ruling.

Each ruling is previewed before it is made. This package also contains penalties, appeals, the public register of
rulings, and a page that judges two hands laid on the table.

Public: selectors, services, tables.
"""
