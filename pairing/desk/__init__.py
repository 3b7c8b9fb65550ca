"""The desk pairs waiting players, sends pairs to tables, and forecasts the end of the stage.

It also holds players back, gives byes, and records the reasons for every pairing.

Public: selectors, services, pages.
"""
