"""The rule sheet of an event: its rule set and options, the length of its matches, and a description of the rules.

Public: selectors, services.
"""
