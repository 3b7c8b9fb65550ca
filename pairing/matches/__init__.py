"""What is recorded of a match, of any kind: the draw and the stage it belongs to, results, removals, how it
ended.

Public: selectors, services, forms, words, pages.
"""
