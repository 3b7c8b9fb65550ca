"""Rounds at tables: each round is seated, looked at, posted, and taken back if need be. Totals and standings follow.

Public: selectors, services, pictures.
"""
