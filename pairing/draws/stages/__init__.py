"""The stages of an event: qualifying, Swiss rounds, groups and play-offs, who goes on, and the places of all entries.

`plan` holds how an event is played. `qualifier`, `pools` and `play_off` compute the state of a stage, and `pools` also
combines the places of all stages. `standings` ranks entries. `corrections` works out what a corrected result touches.
"""
