"""Rounds at tables of two to five, and schedules in which everybody meets.

`rounds` adds up the points and makes the standings. `seating` seats the tables. `schedule` has the round robin and the
rotation.
"""
