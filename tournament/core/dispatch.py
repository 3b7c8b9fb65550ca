"""Send tasks and wake-ups to the broker after the commit. Nothing else leaves a transaction.

Without a broker a write still succeeds. A live stream polls the database once a second by itself. A task that could
not be sent is sent again from its Job row. An email has no such row, so the page reports at once if it was not queued.
"""

import logging
import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

import redis
from celery import Celery
from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string
from kombu.exceptions import KombuError
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

LIVE_CHANNEL: Final = "live"
_QUEUE: Final = "celery"
PAUSE_S: Final = 2.0
"""Seconds without another try after the broker did not answer, so that not every write waits for it."""
_NO_BROKER: Final = (redis.RedisError, KombuError, OSError)
_away_until: dict[str, float] = {}


def send_task_after_commit(name: str, *, told: Callable[[bool], object] | None = None, **arguments: Any) -> None:
    """Send the task `name` (`tournament.send_message`) with plain values after the commit.

    `told` is then called with whether the broker accepted it.
    """
    transaction.on_commit(partial(_send_and_tell, name, arguments, told))


def _send_and_tell(name: str, arguments: dict[str, Any], told: Callable[[bool], object] | None) -> None:
    is_accepted = send_task(name, **arguments)
    if told is not None:
        told(is_accepted)


def wake_streams_after_commit(event_id: int) -> None:
    """Wake the streams that watch this event after the commit."""
    transaction.on_commit(partial(_wake, event_id))


def send_task(name: str, **arguments: Any) -> bool:
    """Send the task `name` right away, and return whether the broker accepted it."""
    if not settings.REDIS_URL:
        logger.warning("no broker: task %s was not sent", name)
        return False
    tasks: Celery = import_string(settings.CELERY_APP)
    try:
        _ask(lambda broker: broker.ping())  # Celery would wait forever for a silent broker
        tasks.send_task(name, kwargs=arguments, retry=False)
    except _NO_BROKER:
        logger.warning("the broker does not answer: task %s was not sent", name)
        return False
    return True


def _wake(event_id: int) -> None:
    if not settings.REDIS_URL:
        return
    try:
        _ask(lambda broker: broker.publish(LIVE_CHANNEL, event_id))
    except _NO_BROKER:
        logger.debug("the broker does not answer: streams find out by themselves")


def is_queue_empty() -> bool:
    """Return whether the broker's queue is empty. The result is False if the broker does not answer."""
    try:
        return not settings.REDIS_URL or not _ask(lambda broker: broker.llen(_QUEUE))
    except _NO_BROKER:
        return False


def _ask(ask: Callable[[redis.Redis], Any]) -> Any:
    url = settings.REDIS_URL
    if time.monotonic() < _away_until.get(url, 0.0):
        raise redis.ConnectionError
    try:
        return ask(_redis(url))
    except _NO_BROKER:
        _away_until[url] = time.monotonic() + PAUSE_S
        raise


@cache
def _redis(url: str) -> redis.Redis:
    """Return a client that retries once if an idle connection was closed, but not after a timeout."""
    again = Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,))
    return redis.Redis.from_url(url, socket_connect_timeout=0.3, socket_timeout=0.3, retry=again)
