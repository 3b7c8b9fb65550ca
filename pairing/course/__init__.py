"""How an event is played: its stages in order, whatever kind each one is.

`load_course` is the one loader. Here a stage is opened or taken back. Here is who advances, who stands where, and who
finished in which place.

Public: selectors, services, tables, words, pdf, pages.
"""
