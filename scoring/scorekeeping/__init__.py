"""The scorekeeper's rounds: the worksheet of a couples tournament, and the tables of Court Whist.

Public: services.
"""
