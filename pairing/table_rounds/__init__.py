"""Rounds at tables: each round is assigned, previewed, posted, and undone if need be. Totals and standings follow.

Public: selectors, services, tables.
"""
