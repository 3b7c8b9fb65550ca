"""From an order to places in a bracket: who stands where, who is seeded, who has a bye.

`places` holds the places and the moves that were made, with their reasons; `seeding` spreads the seeds; `byes` serves
those who were promised a bye.
"""
