"""Background tasks of this app, which `config.celery` discovers here."""

from scoring.tasks import prints, uploads

__all__ = ["prints", "uploads"]
