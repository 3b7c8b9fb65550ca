"""An event's rule sheet: its rule set and options, the lengths of its matches, and a description of the rules.

Public: selectors, services.
"""
