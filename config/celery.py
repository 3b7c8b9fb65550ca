"""The worker's Celery application, with the tasks and periodic jobs of the three apps.

A task is delivered again if its worker dies before finishing it, so tasks must be safe to repeat.
"""

import os
import warnings
from contextlib import suppress
from typing import Any

import django
from celery import Celery, bootsteps
from celery.platforms import SecurityWarning
from celery.signals import task_postrun, task_prerun, worker_init, worker_process_init
from django.conf import settings
from kombu.exceptions import OperationalError
from redis import RedisError

from config.broker import make_celery_url
from config.process import KILL_SIGNAL, die_with_parent
from tournament.core.selectors.request_ids import REQUEST_ID_TASK_HEADER, request_id

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


# Celery warns of running as root because of pickles, but this worker accepts only JSON.
warnings.simplefilter("ignore", SecurityWarning)

app = Celery("tournament")
app.conf.update(
    broker_url=make_celery_url(settings.REDIS_URL) or None,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "visibility_timeout": 300,
        "socket_connect_timeout": 1,
        "max_retries": 1,  # for a web request that sends a task, while a worker keeps trying
        "interval_start": 0,
    },
    accept_content=["json"],
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_soft_time_limit=240,  # below the visibility timeout, or a slow task would run twice at once
    task_time_limit=270,
    worker_prefetch_multiplier=1,
    worker_consumer="config.consumer:ReconnectingConsumer",
    worker_hijack_root_logger=False,
    timezone="UTC",
    enable_utc=True,
    imports=["scoring.tasks", "tournament.tasks"],
)


BACKUP_CHECK_INTERVAL_S = 20.0
"""Seconds between two checks whether a backup is due."""
UPLOAD_SWEEP_INTERVAL_S = 3600.0
"""Seconds between two searches for expired uploads."""


def list_periodic_tasks() -> dict[str, float]:
    """Return the tasks that a worker runs regularly, with the number of seconds between two runs."""
    from tournament.core.services.jobs import JOB_HEARTBEAT_INTERVAL_S

    return {
        "scoring.tasks.prints.sweep_jobs": JOB_HEARTBEAT_INTERVAL_S,
        "scoring.delete_expired_uploads": UPLOAD_SWEEP_INTERVAL_S,
        **({"tournament.make_backup": BACKUP_CHECK_INTERVAL_S} if settings.AUTOMATIC_BACKUPS else {}),
    }


class PeriodicWorkerStep(bootsteps.StartStopStep):
    """A worker step that regularly sends a heartbeat, finds lost jobs, deletes expired uploads, and makes backups.

    Celery Beat is not used, because Celery does not notice if the embedded Beat process dies.
    """

    requires = ("celery.worker.components:Timer",)

    def start(self, worker: Any) -> None:
        from tournament.core.services.jobs import JOB_HEARTBEAT_INTERVAL_S, record_worker_heartbeat

        record_worker_heartbeat()
        worker.timer.call_repeatedly(JOB_HEARTBEAT_INTERVAL_S, record_worker_heartbeat)
        for task, interval in list_periodic_tasks().items():
            worker.timer.call_repeatedly(interval, self._send, (task, interval))

    def _send(self, task: str, expires: float) -> None:
        with suppress(OperationalError, RedisError, OSError):  # the next turn tries again
            app.send_task(task, expires=expires, retry=False)


app.steps["worker"].add(PeriodicWorkerStep)


@worker_init.connect
def _check_secrets(**_more: Any) -> None:
    django.setup()
    from tournament.core.services.secrets import exit_on_wrong_secrets

    exit_on_wrong_secrets()


@worker_process_init.connect
def _die_with_main_process(**_more: Any) -> None:
    die_with_parent(KILL_SIGNAL)


@task_prerun.connect
def _set_request_id(task: Any, **_more: Any) -> None:
    request_id.set(task.request.get(REQUEST_ID_TASK_HEADER) or "")


@task_postrun.connect
def _clear_request_id(**_more: Any) -> None:
    request_id.set("")
