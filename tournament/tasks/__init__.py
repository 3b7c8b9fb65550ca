"""Background tasks of this app, which `config.celery` discovers here."""

from tournament.tasks import mail

__all__ = ["mail"]
