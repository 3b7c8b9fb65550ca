"""Define the Celery worker for tests, which has one more task than the application's worker."""

from __future__ import annotations

from celery import Celery, shared_task
from django.db.models import F

from config.celery import app
from tournament.core.selectors.request_ids import request_id

__all__ = ["app", "raise_version", "store_request_id", "without_broker"]

without_broker = Celery("nowhere", broker="redis+socket:///nowhere/broker.sock")
without_broker.conf.broker_transport_options = app.conf.broker_transport_options


@shared_task(name="tests.raise_version")
def raise_version(*, event_id: int) -> None:
    from tournament.models import Event

    Event.objects.filter(pk=event_id).update(version=F("version") + 1)


@shared_task(name="tests.store_request_id")
def store_request_id(*, event_id: int) -> None:
    from tournament.models import Event

    Event.objects.filter(pk=event_id).update(name=request_id.get())
