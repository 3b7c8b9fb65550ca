"""Rounds that the desk's scorekeeper enters: the worksheet of a couples tournament, and the tables of Court Whist.

Public: services.
"""
