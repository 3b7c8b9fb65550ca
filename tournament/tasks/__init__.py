"""Background tasks of this app, which `config.celery` discovers here."""

from tournament.tasks import backups, mail

__all__ = ["backups", "mail"]
