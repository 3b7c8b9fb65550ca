"""The pages that every event has, put together for its shape: bracket, match, wall, pairings, standings, results.

This room knows all others of the app. No other room imports it.

Public: nothing but its pages.
"""
