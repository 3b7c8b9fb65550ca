"""The stages of an event: their plan, their course and one protocol that every kind of stage answers.

`selectors/kinds.py` has the protocol, and a module for each kind has its subclass of `StageState`: knockout
(`brackets`), pools and play-offs (`pools`), and rounds at tables (`tables`). `course` has what follows from all stages:
who advances, the places, and the sides of a match. `records` has the facts about a match of any kind, `plans` the
format that the director chose before the draw, and `apart` the entrants that are kept apart. The rules themselves are
in `pairing/draws`.

Public: selectors, services, forms, tables, pictures, pdf, pages, kind.
"""
