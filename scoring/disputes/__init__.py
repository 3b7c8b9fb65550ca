"""Disputes: players call the director, facts and evidence are recorded, and the director makes a ruling.

A director previews each ruling before making it. This package also has penalties, appeals, the public register of
rulings, and the page that judges two hands laid on the table.

Public: selectors, services, tables.
"""
