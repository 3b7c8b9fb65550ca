"""Turn a sealed secret and the cards that were cut into an order of entry numbers.

`blind` makes the order and its seal, and `lots` draws lots from a seed. `partners` draws partners for entries that
asked for one. `entries` checks that every number occurs once.
"""
