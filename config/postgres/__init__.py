"""A PostgreSQL backend for Django whose pool survives a restart of the server. The settings name it as `ENGINE`."""
