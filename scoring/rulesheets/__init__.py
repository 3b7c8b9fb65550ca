"""The rule sheet of an event: its rule set and options, how long matches are, and the rules in words.

Public: selectors, services.
"""
