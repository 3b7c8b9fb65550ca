"""The desk: who is waiting, whom to pair next, which tables are free, and when the stage will be over.

It sends pairs to tables, holds players, gives byes, and keeps the reasons for every pairing.

Public: selectors, services, forms, pages.
"""
