"""Work in the background as its user sees it: asked for, running, done with a file, or failed with a sentence.

The row says what is to be done, even if the broker's queue or the worker is lost: a job that nobody works on
is sent again.
"""

import datetime as dt
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.db import DatabaseError, connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import get_language, override

from tournament.core.dispatch import after_commit_task, no_task_waits
from tournament.core.permissions import Actor, require
from tournament.core.services.record import raise_version
from tournament.models import Event, Job
from tournament.models.topic import DESK
from tournament.said import as_kept, in_english

State = Job.State
PULSE: Final = 3.0
"""Seconds between two signs of life: of a worker, and of a job that it is running."""
SILENT: Final = dt.timedelta(seconds=15)
"""A job that gave no sign of life for so long lost its worker."""
UNSENT: Final = dt.timedelta(seconds=5)
"""A job that waits for longer although no task waits at the broker was never sent, or was lost with it."""
AHEAD: Final = dt.timedelta(seconds=5)
"""The clocks of two servers may differ by so much."""
STALE: Final = dt.timedelta(minutes=2)
"""A job that waits for longer is sent again even so: the one that comes second does nothing."""


def ask_for(event: Event, *, kind: str, title: str, task: str, parameters: dict[str, Any], by: Actor) -> Job:
    """A queued job whose task is sent once it is committed; it is made in the language of who asks."""
    require(by, "look", event.tournament)
    with transaction.atomic():
        job = Job.objects.create(
            tournament=event.tournament,
            event=event,
            kind=kind,
            title=in_english(title),
            parameters=parameters | {"task": task, "title": as_kept(title), "language": get_language()},
            by=by.user,
        )
        after_commit_task(task, job=job.pk)
    return job


def begin(job_id: int) -> Job | None:
    """The job, now running; None if it is done or being done: a task that comes twice does nothing the second time."""
    _count_from_now(timezone.now())
    with transaction.atomic():
        others = Q(state=State.DONE) | Q(state=State.RUNNING, changed_at__gte=timezone.now() - SILENT)
        job = Job.objects.select_for_update(of=("self",)).filter(pk=job_id).exclude(others).first()
        if job is not None:
            job.state, job.done, job.changed_at = State.RUNNING, 0, timezone.now()
            job.save(update_fields=["state", "done", "changed_at"])
        return job


@contextmanager
def kept_running(job: Job) -> Iterator[None]:
    """Give signs of life from the process that does the job: they end when it is killed."""
    over = threading.Event()

    def give_signs() -> None:
        while not over.wait(PULSE):
            try:
                Job.objects.filter(pk=job.pk, state=State.RUNNING).update(changed_at=timezone.now())
            except DatabaseError:
                logging.getLogger(__name__).warning("job %s could not give a sign of life", job.pk)
            connection.close()

    threading.Thread(target=give_signs, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def in_language_of(job: Job) -> override:
    """Of who asked for it: a worker has none of its own."""
    return override(job.parameters.get("language") or settings.LANGUAGE_CODE)


def progress(job: Job, done: int, total: int) -> None:
    Job.objects.filter(pk=job.pk).update(done=done, total=total, changed_at=timezone.now())


def finish(job: Job, name: str, content: bytes) -> Job:
    job.file.save(f"{job.pk}-{name}", ContentFile(content), save=False)
    job.state, job.changed_at, job.message = State.DONE, timezone.now(), ""
    job.done = job.total = max(job.total, 1)
    with transaction.atomic():
        event = _locked(job)
        job.save(update_fields=["file", "state", "done", "total", "changed_at", "message"])
        if event is not None and event.jobs.filter(kind=job.kind, state=State.FAILED).exists():
            raise_version(event, frozenset({DESK}))  # one that failed before is no longer said to have
    return job


def _locked(job: Job) -> Event | None:
    return Event.objects.select_for_update(of=("self",)).get(pk=job.event_id) if job.event_id else None


def fail(job: Job, message: str) -> None:
    """With a sentence; the desk learns of it at once."""
    with transaction.atomic():
        event = _locked(job)
        Job.objects.filter(pk=job.pk).update(state=State.FAILED, message=message[:300], changed_at=timezone.now())
        if event is not None:
            raise_version(event, frozenset({DESK}))


def try_again(job: Job, *, by: Actor) -> bool:
    """A job that failed is queued once more; False: it did not fail, or somebody else has asked already."""
    require(by, "desk", job.tournament)
    with transaction.atomic():
        event = _locked(job)
        failed = Job.objects.filter(pk=job.pk, state=State.FAILED)
        if not failed.update(state=State.QUEUED, message="", done=0, changed_at=timezone.now()):
            return False
        after_commit_task(job.parameters["task"], job=job.pk)
        if event is not None:
            raise_version(event, frozenset({DESK}))
    return True


def send_again() -> int:
    """Jobs whose task was lost with a worker or the broker, or never sent, sent once more; how many there were."""
    now = timezone.now()
    _count_from_now(now)
    waits = UNSENT if no_task_waits() else STALE
    lost = Q(state=State.RUNNING, changed_at__lt=now - SILENT) | Q(state=State.QUEUED, changed_at__lt=now - waits)
    jobs = list(Job.objects.filter(lost))
    for job in jobs:
        Job.objects.filter(pk=job.pk).update(state=State.QUEUED, changed_at=now)
        after_commit_task(job.parameters["task"], job=job.pk)
    return len(jobs)


def _count_from_now(now: dt.datetime) -> None:
    """The clock was set back: a sign of life from later on would count as fresh until that hour comes."""
    open_jobs = Job.objects.filter(state__in=(State.QUEUED, State.RUNNING))
    open_jobs.filter(changed_at__gt=now + AHEAD).update(changed_at=now)


def say_worker_is_there() -> None:
    cache.set("worker", True, 4 * PULSE)


def is_worker_there() -> bool:
    return bool(cache.get("worker"))
