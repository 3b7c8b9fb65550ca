"""The background task that creates a PDF to print."""

import logging
from typing import Any

from celery import shared_task
from django.utils.translation import gettext as _

from pairing.draws.stages.plan import StageKind
from scoring.prints.pdf.prints import PrintRequest, list_printouts
from tournament.core.dispatch import resend_stored_tasks
from tournament.core.selectors.copies import mark_files_of_copy
from tournament.core.services.jobs import (
    begin_job,
    fail_job,
    finish_job,
    keep_job_alive,
    override_language,
    record_progress,
    resend_lost_jobs,
)
from tournament.errors import DomainError
from tournament.models import Event, Job

logger = logging.getLogger(__name__)


@shared_task
def print_job(job: int) -> None:
    """Create the PDF for a print job.

    If the task is delivered several times, the PDF is created only once. A `DomainError` becomes the job's message.
    """
    running = begin_job(job)
    if running is None or running.event is None:
        return
    with override_language(running), mark_files_of_copy(running.tournament):
        _create_printout(running, running.event)


def _create_printout(running: Job, event: Event) -> None:
    _title, build = list_printouts(StageKind)[running.kind]
    try:
        with keep_job_alive(running):
            content = build(
                _make_print_request(running, event), lambda done, total: record_progress(running, done, total)
            )
        finish_job(running, f"{running.kind}.pdf", content)
    except DomainError as refusal:
        fail_job(running, refusal.message)
    except Exception:
        fail_job(running, _("The print could not be made. Try again, then tell the person who runs the program."))
        raise


@shared_task
def sweep_jobs() -> int:
    """Send stored tasks and lost jobs again, and return the number of lost jobs."""
    resend_stored_tasks()
    return resend_lost_jobs()


def _make_print_request(job: Job, event: Event) -> PrintRequest:
    names = ("paper", "count", "site", "card", "back", "place", "players", "round", "table")
    wanted: dict[str, Any] = {name: value for name, value in job.parameters.items() if name in names}
    return PrintRequest(event, **wanted)
