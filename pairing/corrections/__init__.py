"""Preview what an act would change, then do exactly that. Undo the last result of a match.

The preview carries out the act and rolls it back.

Public: selectors, services, pages.
"""
