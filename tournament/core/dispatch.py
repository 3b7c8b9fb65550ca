"""Send tasks and live-update notifications to the broker after the commit, and wait for the second laptop.

The second laptop is a second computer that stores every change and can take over. After a commit, a write waits briefly
until the second laptop has stored it, too.

This module also collects what each request writes. If the second laptop does not confirm these writes, the request is
stored (`tournament.second_laptop.middleware`).

Without a broker, writes still succeed. Live streams poll the database once a second anyway. A task that no broker
accepts is stored in the database until a worker runs it.
"""

import logging
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Final

import redis
from celery import Celery
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.module_loading import import_string
from kombu.exceptions import KombuError

from tournament.core.marks import make_redis_client
from tournament.core.selectors.request_ids import REQUEST_ID_TASK_HEADER, request_id
from tournament.models import StoredTask

logger = logging.getLogger(__name__)

LIVE_CHANNEL: Final = "live"
_QUEUE: Final = "celery"
STORED_TASK_TIMEOUT: Final = timedelta(seconds=15)
"""If a stored task had no heartbeat for this long, its worker counts as dead, and the task is run again."""
BROKER_RETRY_S: Final = 2.0
"""Seconds to wait before trying an unresponsive broker again, so that not every write is delayed."""
_BROKER_ERRORS: Final = (redis.RedisError, KombuError, OSError)
_broker_away_until: dict[str, float] = {}


def send_task_after_commit(name: str, *, report: Callable[[bool], object] | None = None, **arguments: Any) -> None:
    """Send a task such as `tournament.send_message` after the commit. Its arguments must be JSON-serializable.

    `report` is then called with True if the task was sent or stored, and with False otherwise.
    """
    transaction.on_commit(partial(_send_and_report, name, arguments, report))


def _send_and_report(name: str, arguments: dict[str, Any], report: Callable[[bool], object] | None) -> None:
    is_accepted = send_task(name, **arguments)
    if report is not None:
        report(is_accepted)


def notify_streams_after_commit(event_id: int) -> None:
    transaction.on_commit(partial(_notify_streams, event_id))


def send_task(name: str, **arguments: Any) -> bool:
    """Send a task immediately, or store it if no broker accepts it. Return False if neither is possible."""
    if _send_to_broker(name, arguments, request_id.get()):
        return True
    try:
        StoredTask.objects.create(name=name, arguments=arguments, request_id=request_id.get())
    except DatabaseError:
        logger.warning("task %s could not be stored, and was not sent", name)
        return False
    return True


def _send_to_broker(name: str, arguments: dict[str, Any], task_request_id: str) -> bool:
    if not settings.REDIS_URL:
        return False
    tasks: Celery = import_string(settings.CELERY_APP)
    try:
        _ask_broker(lambda broker: broker.ping())  # Celery would wait forever for a silent broker
        tasks.send_task(name, kwargs=arguments, headers={REQUEST_ID_TASK_HEADER: task_request_id}, retry=False)
    except _BROKER_ERRORS:
        logger.warning("the broker does not answer: task %s is stored", name)
        return False
    return True


def claim_stored_task() -> StoredTask | None:
    """Mark the oldest waiting task as started, and return it. Two workers never get the same task.

    A task whose worker has died counts as waiting.
    """
    now = timezone.now()
    waiting = Q(started_at=None) | Q(started_at__lt=now - STORED_TASK_TIMEOUT)
    for task in StoredTask.objects.filter(waiting).order_by("pk"):
        if StoredTask.objects.filter(pk=task.pk, started_at=task.started_at).update(started_at=now):
            return task
    return None


def record_task_heartbeat(task: StoredTask) -> None:
    """Record that the worker that runs this task is still alive."""
    StoredTask.objects.filter(pk=task.pk).update(started_at=timezone.now())


def resend_stored_tasks() -> None:
    """Send the stored tasks to the broker, oldest first, as long as it accepts them."""
    while settings.REDIS_URL and (task := claim_stored_task()) is not None:
        if not _send_to_broker(task.name, task.arguments, task.request_id):
            StoredTask.objects.filter(pk=task.pk).update(started_at=None)
            return
        task.delete()


def _notify_streams(event_id: int) -> None:
    if not settings.REDIS_URL:
        return
    try:
        _ask_broker(lambda broker: broker.publish(LIVE_CHANNEL, event_id))
    except _BROKER_ERRORS:
        logger.debug("the broker does not answer: streams find out by themselves")


# --- The second laptop -----------------------------------------------------------------------------------------------

SECOND_LAPTOP_WAIT_S: Final = 0.3
"""The longest time that a write waits until the second laptop has also stored it."""
SECOND_LAPTOP_SILENCE_S: Final = 3.0
"""If the second laptop has been silent for this many seconds, no write waits for it."""
SECOND_LAPTOP_ACK: Final = struct.Struct("<Qd")
"""The format of `SECOND_LAPTOP_ACK_FILE`: the last change that the second laptop confirmed, and when (`time.time`)."""
_POLL_INTERVAL_S: Final = 0.002
_apart_until_change = 0


def read_second_laptop_ack() -> tuple[int, float]:
    """Return the last change that the second laptop has confirmed, and the time.

    Both are 0 if there is no second laptop.
    """
    try:
        return SECOND_LAPTOP_ACK.unpack(settings.SECOND_LAPTOP_ACK_FILE.read_bytes()[: SECOND_LAPTOP_ACK.size])
    except (OSError, struct.error):
        return 0, 0.0


def wait_for_second_laptop_after_commit(log_entry: int) -> None:
    """After the commit, wait up to `SECOND_LAPTOP_WAIT_S` until the second laptop has stored this log row."""
    transaction.on_commit(partial(_wait_for_second_laptop, log_entry))


def _wait_for_second_laptop(log_entry: int) -> None:
    """Wait until the last change is on both laptops. If this takes too long, mark the log row as unconfirmed.

    After such a timeout, writes do not wait at all. They wait again once the second laptop has stored the change that
    caused the timeout.
    """
    global _apart_until_change
    stored, heard_at = read_second_laptop_ack()
    if not heard_at:
        return  # this laptop works alone
    with connection.cursor() as cursor:
        cursor.execute("SELECT MAX(id) FROM tournament_rowchange")
        last = cursor.fetchone()[0] or 0
    is_apart = time.time() - heard_at > SECOND_LAPTOP_SILENCE_S or stored < _apart_until_change
    until = time.monotonic() + (0.0 if is_apart else SECOND_LAPTOP_WAIT_S)
    while stored < last:
        if time.monotonic() > until:
            if not is_apart:
                _apart_until_change = last
            for writes in _open_collections.get():
                writes.unconfirmed.append(log_entry)
                writes.last_change = last
            return
        time.sleep(_POLL_INTERVAL_S)
        stored, _heard_at = read_second_laptop_ack()


@dataclass
class RequestWrites:
    """The log rows that one request has written, and whether it was repeated or refused.

    `log_entries` contains the primary keys of the new log rows, even if their transaction was rolled back later.
    `unconfirmed` contains the committed log rows that the second laptop did not confirm in time, and `last_change` is
    the number of the last change (`RowChange`) that it did not confirm. `is_repeated` means that a request with the
    same idempotency key was already carried out.
    `refusal` is the message of the last refusal.
    """

    log_entries: list[int] = field(default_factory=list)
    unconfirmed: list[int] = field(default_factory=list)
    last_change: int = 0
    is_repeated: bool = False
    refusal: str = ""


_open_collections: ContextVar[tuple[RequestWrites, ...]] = ContextVar("open collections", default=())


@contextmanager
def collect_writes() -> Iterator[RequestWrites]:
    """Collect everything that is written to the log in this block. Outer blocks also collect it."""
    writes = RequestWrites()
    token = _open_collections.set((*_open_collections.get(), writes))
    try:
        yield writes
    finally:
        _open_collections.reset(token)


def collect_log_entry(log_entry: int) -> None:
    for writes in _open_collections.get():
        writes.log_entries.append(log_entry)


def collect_repetition() -> None:
    for writes in _open_collections.get():
        writes.is_repeated = True


def collect_refusal(message: str) -> None:
    for writes in _open_collections.get():
        writes.refusal = message


def is_queue_empty() -> bool:
    """Return whether no task waits for a worker. Return False if the broker does not answer."""
    if settings.REDIS_URL and count_waiting_tasks() != 0:
        return False
    return not StoredTask.objects.exists()


def count_waiting_tasks() -> int | None:
    """Return the number of tasks in the broker's queue, or None if there is no broker or it does not answer."""
    try:
        return int(_ask_broker(lambda broker: broker.llen(_QUEUE))) if settings.REDIS_URL else None
    except _BROKER_ERRORS:
        return None


def is_broker_answering() -> bool:
    try:
        return bool(settings.REDIS_URL and _ask_broker(lambda broker: broker.ping()))
    except _BROKER_ERRORS:
        return False


def _ask_broker(command: Callable[[redis.Redis], Any]) -> Any:
    url = settings.REDIS_URL
    if time.monotonic() < _broker_away_until.get(url, 0.0):
        raise redis.ConnectionError
    try:
        return command(make_redis_client(url))
    except _BROKER_ERRORS:
        _broker_away_until[url] = time.monotonic() + BROKER_RETRY_S
        raise
