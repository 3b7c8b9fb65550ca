"""A PostgreSQL backend for Django whose connection pool survives a server restart.

It is the `ENGINE` in the settings.
"""
