"""The pages that every event has, put together for its stages: bracket, match, wall, pairings, standings, results.

This room knows all others of the app; only the list of kinds imports it.

Public: pages.
"""
