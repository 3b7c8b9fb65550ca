"""The desk, where officials pair waiting players and send them to tables.

The desk also forecasts the end of the stage, holds players back, gives byes, and records the reasons for each pairing.

Public: selectors, services, pages.
"""
