"""Calls for the director, disputes with their facts and evidence, and the rulings on them.

A ruling is previewed first and then applied exactly as shown. The room also has penalties, appeals, the public
register, and the page that judges two hands laid on the table.

Public: selectors, services, tables.
"""
