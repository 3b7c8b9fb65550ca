"""The pages that every event has: bracket, match, wall, pairings, standings and results.

The kind of the event's stages decides what each page shows. This room imports all other rooms of the app.

Public: pages.
"""
