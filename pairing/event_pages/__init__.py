"""The pages that every event has: bracket, match, wall (a large screen in the hall), pairings, standings and results.

The kinds of the event's stages determine what each page shows. This package imports all other packages of the app.

Public: pages.
"""
