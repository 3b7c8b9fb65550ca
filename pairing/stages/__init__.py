"""The stages of an event: their plan, their state, and a common interface for every kind of stage.

`selectors/kinds.py` has the interface. Its subclasses are in `brackets` (knockout), `pools` (pools and play-offs), and
`tables` (rounds at tables). `course` combines all stages: who advances, the places, and the sides of a match. `records`
loads facts about matches, `plans` loads the format, and `apart` loads the entrants who are kept apart. The rules are in
`pairing/draws`.

Public: selectors, services, forms, tables, pictures, pdf, pages, kind.
"""
