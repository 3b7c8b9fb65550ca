"""What staff write to entrants: on their pages always, by e-mail where there is an address, by phone for the others.

Public: selectors, services.
"""
