"""The pages that every event has: bracket, match, wall, pairings, standings and results.

Each page chooses its view by the kind of the event's stages.
This room imports all other rooms of the app. Only the registry of kinds imports it.

Public: pages.
"""
