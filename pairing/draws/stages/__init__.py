"""The stages of an event: qualifying, Swiss rounds, groups and play-offs, who advances, and final places.

`plan` defines how an event is played. `qualifier`, `pools` and `play_off` compute the state of a stage, and `pools`
also combines the places of all stages. `standings` ranks entries. `corrections` finds the games that a corrected result
affects.
"""
