"""Work of this app in the background; `config.celery` finds the tasks here."""

from tournament.tasks import mail

__all__ = ["mail"]
