"""Pretend players: the demo, events that are played at random, and simulated days.

They play tournaments marked DEMO through the services that the pages use. No page or task imports this room.

Public: services, selectors.
"""
