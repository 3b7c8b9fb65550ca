"""The scorekeeper's rounds: a worksheet for couples in rotation, and the tables of Court Whist.

Public: services.
"""
