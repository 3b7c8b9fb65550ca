"""Late entries: an entrant joins a pool in play, or takes the place of a round-one bye in a bracket.

Public: selectors, services, forms.
"""
