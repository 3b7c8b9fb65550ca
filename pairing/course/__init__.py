"""How an event is played: its stages in order, no matter of what kind each one is.

Here a stage is opened or taken back. Here is who advances, who stands where, and who finished in which place. What each
kind of stage answers is in `pairing/stage_kinds`.

Public: selectors, services, tables, words, pdf, pages.
"""
