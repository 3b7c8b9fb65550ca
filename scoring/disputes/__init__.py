"""Calls for the director, and disputes with their facts, evidence, and photos of the paper.

Public: selectors, services, forms, tables, pages.
"""
