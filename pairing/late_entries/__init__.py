"""Late entries: somebody joins a pool that is being played, or takes the place of a round-one bye in a bracket.

Public: selectors, services, forms.
"""
