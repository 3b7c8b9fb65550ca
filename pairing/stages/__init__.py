"""The stages of an event: their plan, their course and one protocol that every kind of stage answers.

`selectors/kinds.py` has the protocol, and a module for each kind has its subclass of `StageState`: knock-out
(`brackets`), pools in which everybody meets everybody (`pools`), and rounds at tables (`tables`). `records` has the
facts about a match of any kind, `plans` the format that the director chose before the draw, and `apart` the entrants
that are kept apart. The rules themselves are in `pairing/draws`.

Public: selectors, services, forms, tables, words, pictures, pdf, pages, kind.
"""
