"""The stages of an event: qualifying, Swiss rounds, groups and play-offs, who goes on, and the places of all.

`plan` reads how an event is played; `qualifier`, `pools` and `play_off` fold a stage; `standings` and `tie_breaks`
rank; `stage_places` puts the stages together. `pool_corrections` and `play_off_corrections` say what a corrected
result touches.
"""
