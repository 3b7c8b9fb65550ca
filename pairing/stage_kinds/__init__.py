"""The common protocol of stages and its classes: standings, ready matches, completion, entries and places.

`load_course` reads all stages of an event. Each kind of stage has a module with a subclass of `StageState`.

Public: selectors.
"""
