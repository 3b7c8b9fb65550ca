"""The recorded facts about matches of any kind: their draw and stage, results, removals, and how they ended.

Public: selectors, services, forms, words, pages.
"""
