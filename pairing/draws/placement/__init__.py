"""From a drawn order to places in a bracket: the places, the seeds, and the byes.

`places` holds the places and the moves with their reasons. `seeding` spreads the seeds. `byes` serves the entries that
were promised a bye.
"""
