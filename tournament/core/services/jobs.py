"""Background jobs, which are queued, running, finished with a file, or failed with a message.

The Job row describes the work, so a job that the broker or a worker loses is sent again.
"""

import datetime as dt
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.db import DatabaseError, connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import get_language, override

from tournament.core.dispatch import is_queue_empty, send_task_after_commit
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import bump_version
from tournament.lazy_text import text_to_json, to_english
from tournament.models import Event, Job
from tournament.models.topic import DESK_TOPIC

JobState = Job.State
JOB_HEARTBEAT_INTERVAL_S: Final = 3.0
"""Seconds between two heartbeats of a worker and its current job."""
WORKER_HEARTBEAT_LIFETIME_S: Final = 4 * JOB_HEARTBEAT_INTERVAL_S
HEARTBEAT_TIMEOUT: Final = dt.timedelta(seconds=15)
"""A job without a heartbeat for this long counts as abandoned by its worker."""
JOB_LOST_AFTER: Final = dt.timedelta(seconds=5)
"""A queued job counts as lost after this time if no task is waiting for a worker."""
MAX_CLOCK_SKEW: Final = dt.timedelta(seconds=5)
"""The largest expected difference between two servers' clocks."""
JOB_RESEND_AFTER: Final = dt.timedelta(minutes=2)
"""A queued job is always sent again after this time. A second task for the same job does nothing."""


def request_job(event: Event, *, kind: str, title: str, task: str, parameters: dict[str, Any], by: Actor) -> Job:
    """Create a queued job, and send its task after the commit.

    The job's file will be in the user's current language.
    """
    require_permission(by, "look", event.tournament)
    with transaction.atomic():
        job = Job.objects.create(
            tournament=event.tournament,
            event=event,
            kind=kind,
            title=to_english(title),
            parameters=parameters | {"task": task, "title": text_to_json(title), "language": get_language()},
            by=by.user,
        )
        send_task_after_commit(task, job=job.pk)
    return job


def begin_job(job_id: int) -> Job | None:
    """Mark the job as running and return it, or return None if it is finished or already running.

    A task that is delivered twice therefore does nothing the second time.
    """
    _reset_future_heartbeats(timezone.now())
    with transaction.atomic():
        others = Q(state=JobState.DONE) | Q(state=JobState.RUNNING, changed_at__gte=timezone.now() - HEARTBEAT_TIMEOUT)
        job = Job.objects.select_for_update(of=("self",)).filter(pk=job_id).exclude(others).first()
        if job is not None:
            job.state, job.done, job.changed_at = JobState.RUNNING, 0, timezone.now()
            job.save(update_fields=["state", "done", "changed_at"])
        return job


@contextmanager
def keep_job_alive(job: Job) -> Iterator[None]:
    """Send heartbeats for the job as long as the block runs. If the process is killed, the heartbeats stop."""
    is_over = threading.Event()

    def send_heartbeats() -> None:
        while not is_over.wait(JOB_HEARTBEAT_INTERVAL_S):
            try:
                Job.objects.filter(pk=job.pk, state=JobState.RUNNING).update(changed_at=timezone.now())
            except DatabaseError:
                logging.getLogger(__name__).warning("job %s could not give a sign of life", job.pk)
            connection.close()

    threading.Thread(target=send_heartbeats, daemon=True).start()
    try:
        yield
    finally:
        is_over.set()


def override_language(job: Job) -> override:
    """Return a context manager that activates the language of the user who requested the job."""
    return override(job.parameters.get("language") or settings.LANGUAGE_CODE)


def record_progress(job: Job, done: int, total: int) -> None:
    Job.objects.filter(pk=job.pk).update(done=done, total=total, changed_at=timezone.now())


def finish_job(job: Job, name: str, content: bytes) -> Job:
    job.file.save(f"{job.pk}-{name}", ContentFile(content), save=False)
    job.state, job.changed_at, job.message = JobState.DONE, timezone.now(), ""
    job.done = job.total = max(job.total, 1)
    with transaction.atomic():
        event = _lock_event_of_job(job)
        job.save(update_fields=["file", "state", "done", "total", "changed_at", "message"])
        if event is not None and event.jobs.filter(kind=job.kind, state=JobState.FAILED).exists():
            bump_version(event, frozenset({DESK_TOPIC}))  # the desk stops showing the earlier failure
    return job


def _lock_event_of_job(job: Job) -> Event | None:
    return Event.objects.select_for_update(of=("self",)).get(pk=job.event_id) if job.event_id else None


def fail_job(job: Job, message: str) -> None:
    """Mark the job as failed with this message, and update the desk's pages."""
    with transaction.atomic():
        event = _lock_event_of_job(job)
        Job.objects.filter(pk=job.pk).update(state=JobState.FAILED, message=message[:300], changed_at=timezone.now())
        if event is not None:
            bump_version(event, frozenset({DESK_TOPIC}))


def retry_job(job: Job, *, by: Actor) -> bool:
    """Queue a failed job again. Return False if the job did not fail or has already been queued again."""
    require_permission(by, "desk", job.tournament)
    with transaction.atomic():
        event = _lock_event_of_job(job)
        failed = Job.objects.filter(pk=job.pk, state=JobState.FAILED)
        if not failed.update(state=JobState.QUEUED, message="", done=0, changed_at=timezone.now()):
            return False
        send_task_after_commit(job.parameters["task"], job=job.pk)
        if event is not None:
            bump_version(event, frozenset({DESK_TOPIC}))
    return True


def resend_lost_jobs() -> int:
    """Send the tasks of all lost jobs again, and return the number of these jobs."""
    now = timezone.now()
    _reset_future_heartbeats(now)
    patience = JOB_LOST_AFTER if is_queue_empty() else JOB_RESEND_AFTER
    lost = Q(state=JobState.RUNNING, changed_at__lt=now - HEARTBEAT_TIMEOUT) | Q(
        state=JobState.QUEUED, changed_at__lt=now - patience
    )
    jobs = list(Job.objects.filter(lost))
    for job in jobs:
        Job.objects.filter(pk=job.pk).update(state=JobState.QUEUED, changed_at=now)
        send_task_after_commit(job.parameters["task"], job=job.pk)
    return len(jobs)


def _reset_future_heartbeats(now: dt.datetime) -> None:
    """Reset heartbeats that are in the future because the clock was set back.

    Otherwise, it would take too long to notice that a worker is dead.
    """
    open_jobs = Job.objects.filter(state__in=(JobState.QUEUED, JobState.RUNNING))
    open_jobs.filter(changed_at__gt=now + MAX_CLOCK_SKEW).update(changed_at=now)


def record_worker_heartbeat() -> None:
    """Record that a worker is running, in the cache and in a file.

    Servers share the cache. If there is no broker or it does not answer, the processes of this computer use the file.
    """
    cache.set("worker", True, WORKER_HEARTBEAT_LIFETIME_S)
    with suppress(OSError):  # the disk is full
        settings.WORKER_HEARTBEAT_FILE.touch()


def is_worker_running() -> bool:
    if cache.get("worker"):
        return True
    with suppress(OSError):
        return abs(time.time() - settings.WORKER_HEARTBEAT_FILE.stat().st_mtime) < WORKER_HEARTBEAT_LIFETIME_S
    return False
