"""Events with made-up players: the demo, events played at random, and simulated qualifying days.

These events belong to tournaments marked DEMO, and are played through the same services that the pages use. No page or
background task imports this package.

Public: services, selectors.
"""
