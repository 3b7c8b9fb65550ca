"""A player calls the director. A dispute is opened with its facts, its evidence, and photos of the paper.

Public: selectors, services, forms, tables, pages.
"""
