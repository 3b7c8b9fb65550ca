"""The blind draw as an order of numbers: what follows from a sealed secret and the cards cut, and nothing else.

`blind` makes the order and its seal, `lots` draws lots that follow from it, `partners` draws partners for those who
asked for one, `entries` checks that every number stands once.
"""
