"""The course of an event: its stages in order, of whatever kind.

This room opens and undoes stages, and computes who advances, the standings, and the final places.
The rules of each kind of stage are in `pairing/stage_kinds`.

Public: selectors, services, tables, pdf, pages.
"""
