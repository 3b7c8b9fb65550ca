"""The stages of an event: qualifying, Swiss rounds, groups and play-offs, who goes on, and the places of all entries.

`plan` holds how an event is played. `qualifier`, `pools` and `play_off` compute the state of a stage. `standings` and
`tie_breaks` rank entries. `stage_places` combines the stages. `pool_corrections` and `play_off_corrections` work out
what a corrected result touches.
"""
