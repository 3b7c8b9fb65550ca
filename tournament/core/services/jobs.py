"""Work in the background as its user sees it: asked for, running, done with a file, or failed with a sentence."""

import datetime as dt
from typing import Any, Final

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from tournament.core.dispatch import after_commit_task
from tournament.core.permissions import Actor, require
from tournament.models import Event, Job

State = Job.State
STALE: Final = dt.timedelta(minutes=6)


def ask_for(event: Event, *, kind: str, title: str, task: str, parameters: dict[str, Any], by: Actor) -> Job:
    """A queued job whose task is sent once it is committed."""
    require(by, "look", event.tournament)
    with transaction.atomic():
        job = Job.objects.create(
            tournament=event.tournament,
            event=event,
            kind=kind,
            title=title,
            parameters=parameters | {"task": task},
            by=by.user,
        )
        after_commit_task(task, job=job.pk)
    return job


def begin(job_id: int) -> Job | None:
    """The job, now running; None if it is done already: a task that comes twice does nothing the second time."""
    with transaction.atomic():
        job = Job.objects.select_for_update(of=("self",)).filter(pk=job_id).exclude(state=State.DONE).first()
        if job is not None:
            job.state, job.done, job.changed_at = State.RUNNING, 0, timezone.now()
            job.save(update_fields=["state", "done", "changed_at"])
        return job


def progress(job: Job, done: int, total: int) -> None:
    Job.objects.filter(pk=job.pk).update(done=done, total=total, changed_at=timezone.now())


def finish(job: Job, name: str, content: bytes) -> Job:
    job.file.save(f"{job.pk}-{name}", ContentFile(content), save=False)
    job.state, job.changed_at, job.message = State.DONE, timezone.now(), ""
    job.done = job.total = max(job.total, 1)
    job.save(update_fields=["file", "state", "done", "total", "changed_at", "message"])
    return job


def fail(job: Job, message: str) -> None:
    Job.objects.filter(pk=job.pk).update(state=State.FAILED, message=message[:300], changed_at=timezone.now())


def send_again() -> int:
    """Jobs whose task was lost with a worker or never sent, sent once more; how many there were."""
    stale = Job.objects.filter(state__in=[State.QUEUED, State.RUNNING], changed_at__lt=timezone.now() - STALE)
    jobs = list(stale)
    for job in jobs:
        Job.objects.filter(pk=job.pk).update(state=State.QUEUED, changed_at=timezone.now())
        after_commit_task(job.parameters["task"], job=job.pk)
    return len(jobs)
