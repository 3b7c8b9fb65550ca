"""The rule sheet of an event: its rule set and options, the length of matches, and the rules in words.

Public: selectors, services.
"""
